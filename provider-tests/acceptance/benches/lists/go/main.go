// Command terraform-provider-things lists things that it makes up, with another SDK, beside which the bench `lists`
// measures ours.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	lschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return &things{} }, providerserver.ServeOpts{
		Address: "example.com/ferroform/things",
	})
	if err != nil {
		log.Fatal(err)
	}
}

type things struct{}

func (*things) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "things"
}

func (*things) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (*things) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (*things) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*things) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &thing{} }}
}

func (*things) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{func() list.ListResource { return &thing{} }}
}

type thing struct{}

type object struct {
	Name types.String `tfsdk:"name"`
	Size types.Int64  `tfsdk:"size"`
	Note types.String `tfsdk:"note"`
}

type identity struct {
	Name types.String `tfsdk:"name"`
}

func (*thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "things_thing"
}

func (*thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true},
		"size": schema.Int64Attribute{Required: true},
		"note": schema.StringAttribute{Optional: true},
	}}
}

func (*thing) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (*thing) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = lschema.Schema{Attributes: map[string]lschema.Attribute{
		"prefix": lschema.StringAttribute{Optional: true},
	}}
}

func (*thing) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	stream.Results = func(push func(list.ListResult) bool) {
		for number := int64(0); number < req.Limit; number++ {
			name := fmt.Sprintf("thing-%d", number)
			result := req.NewListResult(ctx)
			result.DisplayName = name
			result.Diagnostics.Append(result.Identity.Set(ctx, identity{Name: types.StringValue(name)})...)
			if req.IncludeResource {
				result.Diagnostics.Append(result.Resource.Set(ctx, object{
					Name: types.StringValue(name),
					Size: types.Int64Value(number),
					Note: types.StringValue("as it was found"),
				})...)
			}
			if !push(result) {
				return
			}
		}
	}
}

func (*thing) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}

func (*thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*thing) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (*thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
