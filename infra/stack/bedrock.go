package stack

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// bedrockAction is what Converse needs. The worker makes no other request of Bedrock.
const bedrockAction = "bedrock:InvokeModel"

// geographies are the first parts of the ids of inference profiles that Bedrock
// itself defines: in what part of the world a profile looks for a free region.
// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
var geographies = []string{"us", "us-gov", "eu", "apac", "jp", "au", "ca", "global"}

// Kinds of resources that Converse can be asked with, as in their ARNs.
const (
	foundationModel    = "foundation-model"
	systemProfile      = "inference-profile"
	applicationProfile = "application-inference-profile"
)

// anyRegion comes after the partition in ARNs of foundation models, which belong
// to no account.
const anyRegion = "bedrock:*::" + foundationModel + "/"

// plainModels are kinds that stand for themselves, in their own region.
var plainModels = []string{foundationModel, "custom-model-deployment", "imported-model", "provisioned-model"}

// bedrockModel is the model that the option names.
type bedrockModel struct {
	arn  string // empty: given by its id
	kind string
	id   string
}

// modelShape is an ARN of a resource of Bedrock.
var modelShape = regexp.MustCompile(`^arn:aws[a-z-]*:bedrock:[a-z0-9-]+:([0-9]{12})?:([a-z-]+)/([A-Za-z0-9.:/_-]+)$`)

// idShape is the id of a model or of an inference profile.
var idShape = regexp.MustCompile(`^[A-Za-z0-9.:_-]+$`)

func parseBedrockModel(text string) (bedrockModel, error) {
	if found := modelShape.FindStringSubmatch(text); found != nil {
		model := bedrockModel{arn: text, kind: found[2], id: found[3]}
		if model.kind == systemProfile || model.kind == applicationProfile || slices.Contains(plainModels, model.kind) {
			return model, nil
		}
	}
	if !idShape.MatchString(text) || strings.HasPrefix(text, "arn:") {
		return bedrockModel{}, fmt.Errorf("%q is no id or ARN of a model or an inference profile of Bedrock", text)
	}
	if geography, _, _ := strings.Cut(text, "."); slices.Contains(geographies, geography) {
		return bedrockModel{kind: systemProfile, id: text}, nil
	}
	return bedrockModel{kind: foundationModel, id: text}, nil
}

// checkBedrock says what is wrong with the model; the functions take any name.
func (o Options) checkBedrock() []string {
	if o.Provider != runtimeconfig.ProviderBedrock || o.Model == "" {
		return nil
	}
	if _, err := parseBedrockModel(o.Model); err != nil {
		return []string{"model: " + err.Error() + "."}
	}
	return nil
}

// bedrock lets the worker ask the model. Behind an inference profile there are
// models in several regions; they are allowed by way of the profile alone.
// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
func (s *builder) bedrock() []permission {
	model := s.model
	arn := model.arn
	if arn == "" {
		account := ""
		if model.kind == systemProfile {
			account = *s.stack.Account()
		}
		arn = fmt.Sprintf("arn:%s:bedrock:%s:%s:%s/%s", *s.stack.Partition(), *s.stack.Region(), account, model.kind, model.id)
	}
	allowed := []permission{on(jsii.String(arn), bedrockAction)}
	if behind := model.behind(); behind != "" {
		// The profile's regions, and none for one that is global.
		models := on(jsii.String(fmt.Sprintf("arn:%s:%s%s", *s.stack.Partition(), anyRegion, behind)), bedrockAction)
		models.conditions = map[string]any{"StringEquals": map[string]any{"bedrock:InferenceProfileArn": arn}}
		allowed = append(allowed, models)
	}
	return allowed
}

// behind is the id of the model behind a profile; "*" where the profile's name
// does not tell, and nothing for what is no profile.
func (m bedrockModel) behind() string {
	switch m.kind {
	case systemProfile:
		_, model, _ := strings.Cut(m.id, ".")
		return model
	case applicationProfile:
		return "*"
	default:
		return ""
	}
}
