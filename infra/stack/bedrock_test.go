package stack

import "testing"

// What behind says decides what the worker may ask; see bedrock.
func TestBedrockModels(t *testing.T) {
	t.Parallel()
	const account = "arn:aws:bedrock:eu-west-1:111122223333:"
	for text, want := range map[string]struct{ kind, behind string }{
		"amazon.nova-lite-v1:0":        {kind: foundationModel},
		"minimax.minimax-m2.1":         {kind: foundationModel},
		"eu.amazon.nova-lite-v1:0":     {systemProfile, "amazon.nova-lite-v1:0"},
		"us-gov.vendor.model-1:0":      {systemProfile, "vendor.model-1:0"},
		"global.vendor.model-4.5-v1:0": {systemProfile, "vendor.model-4.5-v1:0"},
		"arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-lite-v1:0": {kind: foundationModel},
		account + "inference-profile/eu.amazon.nova-lite-v1:0":              {systemProfile, "amazon.nova-lite-v1:0"},
		account + "application-inference-profile/a1b2c3d4e5f6":              {applicationProfile, "*"},
		account + "provisioned-model/a1b2c3d4e5f6":                          {kind: "provisioned-model"},
		"arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/m":          {kind: foundationModel},
	} {
		model, err := parseBedrockModel(text)
		if err != nil || model.kind != want.kind || model.behind() != want.behind {
			t.Errorf("%s: %+v with %q behind it, %v", text, model, model.behind(), err)
		}
		if given := model.arn != ""; given != (text[:3] == "arn") {
			t.Errorf("%s: ARN %q", text, model.arn)
		}
	}
}

func TestBedrockModelsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "*", "amazon.*", "a b", "amazon/nova", "arn:aws:bedrock:eu-west-1::foundation-model/*", "arn:aws:s3:::bucket",
		"arn:aws:bedrock:*::foundation-model/m", "arn:aws:bedrock:eu-west-1:111122223333:guardrail/g",
	} {
		if model, err := parseBedrockModel(text); err == nil {
			t.Errorf("%q was taken as %+v", text, model)
		}
	}
}

func FuzzBedrockModel(f *testing.F) {
	f.Add("eu.amazon.nova-lite-v1:0")
	f.Add("arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.amazon.nova-lite-v1:0")
	f.Fuzz(func(t *testing.T, text string) {
		model, err := parseBedrockModel(text)
		if err != nil {
			return
		}
		for _, part := range []string{model.arn, model.id} {
			for _, r := range part {
				if r == '*' || r == '?' || r == '$' || r == '\n' {
					t.Errorf("%q would allow more than it names: %+v", text, model)
				}
			}
		}
	})
}
