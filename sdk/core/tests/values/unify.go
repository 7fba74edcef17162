// Writes the types of `unify.tsv` with the type that go-cty finds for them, which is what core takes. With Go:
//
//	values=$PWD/sdk/core/tests/values && cd "$(mktemp -d)" && cp "$values/unify.go" main.go
//	go mod init unify && go mod edit -require github.com/zclconf/go-cty@v1.17.0 && go mod tidy
//	go run . < "$values/unify.tsv" > unify.tsv && cp unify.tsv "$values"
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/json"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			fmt.Println(line)
			continue
		}
		given, _, _ := strings.Cut(line, "\t")
		// A tuple of types is written like several types.
		types, err := json.UnmarshalType([]byte(`["tuple",` + given + `]`))
		if err != nil {
			log.Fatal(line, err)
		}
		found := []byte("null")
		if unified, _ := convert.UnifyUnsafe(types.TupleElementTypes()); unified != cty.NilType {
			if found, err = json.MarshalType(unified); err != nil {
				log.Fatal(line, err)
			}
		}
		fmt.Printf("%s\t%s\n", given, found)
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}
