#!/bin/sh
# Applies the examples of all resources with the last release, and plans them with this build: nothing may change. The
# last release comes from the registry, or from where the CLI configuration says.
set -eu

core=${CORE:-terraform}
tool=${FERROFORM:-cargo ferroform}
package=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat "$package"/examples/provider/provider.tf "$package"/examples/resources/*/resource.tf >"$work/main.tf"

cd "$work"
"$core" init -input=false
"$core" apply -input=false -auto-approve
(cd "$package" && $tool install --dev) >"$work/build.tfrc"
TF_CLI_CONFIG_FILE=$work/build.tfrc
export TF_CLI_CONFIG_FILE
changes=0
"$core" plan -input=false -detailed-exitcode || changes=$?
"$core" destroy -input=false -auto-approve
exit "$changes"
