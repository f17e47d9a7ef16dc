package stack

import (
	"net/url"
	"regexp"
	"strings"
)

// issuerSettings are those that mean something only with an issuer.
var issuerSettings = []string{"audience", "authorizationEndpoint", "tokenEndpoint", "endSessionEndpoint", "workspaceClaim", "scope"}

// issuer reads the settings of an issuer that is there already; nil: none.
func (r *reader) issuer() *Issuer {
	if r.text("issuer") == "" {
		for _, name := range issuerSettings {
			if _, given := r.given[name]; given {
				r.addf("%s: it goes with an issuer only. Set issuer too, or leave it out.", name)
			}
		}
		return nil
	}
	i := &Issuer{
		URL: r.https("issuer"), Audience: r.text("audience"), WorkspaceClaim: r.text("workspaceClaim"), Scope: r.text("scope"),
		AuthorizationEndpoint: r.https("authorizationEndpoint"), TokenEndpoint: r.https("tokenEndpoint"),
		EndSessionEndpoint: r.https("endSessionEndpoint"),
	}
	for _, needed := range []string{"audience", "authorizationEndpoint", "tokenEndpoint"} {
		if r.text(needed) == "" {
			r.addf("%s: it is missing. An issuer needs it; its discovery document and the client registered there have it.", needed)
		}
	}
	if !strings.Contains(" "+i.Scope+" ", " openid ") {
		r.addf("scope: %q does not contain openid, so the issuer would send no ID token.", i.Scope)
	}
	return i
}

// https checks an optional address: tokens and codes go there.
func (r *reader) https(name string) string {
	text := r.text(name)
	if text == "" {
		return ""
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" || u.Host == "" || u.Fragment != "" {
		r.addf("%s: %q is no https URL.", name, text)
	}
	return text
}

var (
	domainShape      = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`)
	certificateShape = regexp.MustCompile(`^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+$`)
)

// domain reads the settings of a domain name; nil: none.
func (r *reader) domain() *Domain {
	d := Domain{Name: r.text("domainName"), CertificateARN: r.text("certificateArn")}
	switch {
	case d == Domain{}:
		return nil
	case d.Name == "" || d.CertificateARN == "":
		r.addf("domainName, certificateArn: one of them is missing. A name needs its certificate.")
		return nil
	case !domainShape.MatchString(d.Name):
		r.addf("domainName: %q is no domain name. Give it in lower case and without a scheme.", d.Name)
	case !certificateShape.MatchString(d.CertificateARN):
		r.addf("certificateArn: %q is no ARN of a certificate.", d.CertificateARN)
	}
	return &d
}
