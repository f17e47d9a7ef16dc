# Commands of README "Deploying" and of the runbook, for bash:
#   bash; . ~/replyonce-prod.sh; . infra/operator/functions.sh
# The first file sets STAGE, CDK_OPTIONS, AWS_REGION and AWS_PROFILE or keys, and is yours.

[ -n "$BASH_VERSION" ] || { echo "this is for bash: type bash, and load both files again" >&2; return 1; }
: "${STAGE:?is not set: load your settings first, such as . ~/replyonce-prod.sh}"
: "${CDK_OPTIONS?is not set: load your settings first; it may be empty}"
: "${AWS_REGION:?is not set: load your settings first}"
[ -z "${AWS_PROFILE-}" ] || [ -z "${AWS_ACCESS_KEY_ID-}" ] || { echo "AWS_PROFILE and AWS_ACCESS_KEY_ID are both set, which may be two accounts: unset one" >&2; return 1; }
case $(aws --version 2>&1) in aws-cli/1.*) echo "this is version 1 of the AWS command line, which does not read AWS_REGION: install version 2" >&2; return 1 ;; esac
export STAGE CDK_OPTIONS AWS_REGION
stack=replyonce-$STAGE

# output Url: an output of the stack; with a second word, of the stack of that name.
output() { aws cloudformation describe-stacks --stack-name "${2:-$stack}" --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue" --output text; }

# release: what make deployed last, a tag or commit; "-dirty" is a tree with changes.
release() { output Release; }

# resource Worker: the real name of a resource.
resource() { aws cloudformation describe-stack-resource --stack-name "$stack" --logical-resource-id "$1" --query StackResourceDetail.PhysicalResourceId --output text; }

# group WorkerLogs: the whole name of a group of logs, which has some letters behind its name in the stack.
group() { aws cloudformation list-stack-resources --stack-name "$stack" --query "StackResourceSummaries[?ResourceType=='AWS::Logs::LogGroup' && starts_with(LogicalResourceId, '$1')].PhysicalResourceId" --output text; }

# logs "WorkerLogs ApiLogs" 'filter level = "ERROR"' 3: lines of the last 3 hours (default 1), oldest first.
logs() {
  local groups=() name id order='| sort @timestamp asc '
  case $2 in *stats\ *) order= ;; esac # counts have no time
  for name in $1; do groups+=("$(group "$name")"); done
  id=$(aws logs start-query --log-group-names "${groups[@]}" --start-time $(($(date +%s) - ${3:-1} * 3600)) --end-time "$(date +%s)" \
    --query-string "fields @timestamp, @message | $2 $order| limit 1000" --query queryId --output text) || return
  while aws logs get-query-results --query-id "$id" --query status --output text | grep -qE 'Scheduled|Running'; do sleep 1; done
  aws logs get-query-results --query-id "$id" | jq -r '.results[] | map({(.field): .value}) | add | del(.["@ptr"]) | .["@message"] // tostring'
}

# redeploy -c concurrency=20: deploy with all your options and these, which win; shows the difference and asks first.
redeploy() {
  local options=$CDK_OPTIONS answer
  [ $# -eq 0 ] || options="$options$(printf ' %q' "$@")"
  printf '%s in %s, with\n%s\n' "$stack" "$AWS_REGION" "$options"
  make diff CDK_OPTIONS="$options" || return
  printf 'Deploy this? (yes) '
  read -r answer
  [ "$answer" = yes ] || { echo "nothing was changed"; return 1; }
  make deploy CDK_OPTIONS="$options" || return
  [ $# -eq 0 ] || echo "the next deployment forgets this again unless you add it to your settings: $*"
}

# put_key: asks for the model provider's key and puts it in. It is in no file, no history and no list of processes.
put_key() {
  local secret key
  secret=$(output ProviderKeySecret) || return
  printf 'paste the key for %s, then press Enter: ' "$stack"
  IFS= read -rs key
  echo
  [ -n "$key" ] || { echo "no key was given; nothing was changed"; return 1; }
  until printf %s "$key" | aws secretsmanager put-secret-value --secret-id "$secret" --secret-string file:///dev/stdin; do
    printf 'it was NOT put in; Enter tries again with the same key, Ctrl-C gives up '
    read -r || return 1
  done
}
