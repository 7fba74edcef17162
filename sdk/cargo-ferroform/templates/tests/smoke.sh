#!/bin/sh
# Applies the examples of all resources with the last release, and plans them with this build: nothing may change. The
# last release comes from the registry, or from where the CLI configuration says.
set -eu

core=${CORE:-terraform}
tool=${FERROFORM:-cargo ferroform}
package=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
applied=no

# However the script ends, it destroys what it applied, or keeps the state.
finish() {
    status=$?
    trap - EXIT
    if [ "$applied" = yes ] && ! "$core" destroy -input=false -auto-approve; then
        echo "What was applied is not destroyed. Its state is in $work: run \`$core destroy\` there." >&2
        [ "$status" -ne 0 ] || status=1
    else
        rm -rf "$work"
    fi
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cat "$package"/examples/provider/provider.tf "$package"/examples/resources/*/resource.tf >"$work/main.tf"
(cd "$package" && $tool install --dev) >"$work/build.tfrc"
cd "$work"
"$core" init -input=false
applied=yes
"$core" apply -input=false -auto-approve
TF_CLI_CONFIG_FILE=$work/build.tfrc "$core" plan -input=false -detailed-exitcode
