// Command terraform-provider-small is the provider `small`, built with another SDK, for tests of compositions.
//
// A note is a file below the folder of the provider's configuration. SMALL_PROTOCOL=5 serves protocol 5.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	pschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	protocol := 6
	if os.Getenv("SMALL_PROTOCOL") == "5" {
		protocol = 5
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return &small{} }, providerserver.ServeOpts{
		Address:         "registry.terraform.io/acme/small",
		ProtocolVersion: protocol,
	})
	if err != nil {
		log.Fatal(err)
	}
}

type small struct{}

type config struct {
	Folder types.String `tfsdk:"folder"`
}

func (*small) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "small"
}

func (*small) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = pschema.Schema{Attributes: map[string]pschema.Attribute{
		"folder": pschema.StringAttribute{Required: true, Description: "Where the notes are."},
	}}
}

func (*small) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config config
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.Folder.ValueString() == "/" {
		resp.Diagnostics.AddError("Folder Not Allowed", "Give another folder than the root.")
	}
	resp.ResourceData = config.Folder.ValueString()
	resp.ListResourceData = config.Folder.ValueString()
	resp.ActionData = config.Folder.ValueString()
}

func (*small) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &note{kind: "note"} },
		func() resource.Resource { return &card{note{kind: "card"}} },
	}
}

func (*small) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &length{} }}
}

func (*small) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return &twice{} }}
}

type note struct {
	kind   string
	folder string
}

type noteModel struct {
	Id   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	Text types.String `tfsdk:"text"`
}

func (n *note) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "small_" + n.kind
}

func (*note) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":   schema.StringAttribute{Computed: true, PlanModifiers: keep},
		"name": schema.StringAttribute{Required: true, PlanModifiers: replace},
		"text": schema.StringAttribute{Required: true},
	}}
}

func (n *note) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	n.folder, _ = req.ProviderData.(string)
}

func (n *note) path(name string) string {
	return filepath.Join(n.folder, name+"."+n.kind)
}

func (n *note) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	switch plan.Text.ValueString() {
	case "crash":
		os.Exit(2)
	case "hang":
		select {}
	}
	if err := os.WriteFile(n.path(plan.Name.ValueString()), []byte(plan.Text.ValueString()), 0o600); err != nil {
		resp.Diagnostics.AddError("Note Not Written", err.Error())
		return
	}
	plan.Id = types.StringValue("id-" + plan.Name.ValueString())
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "made_by", []byte(`"go"`))...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, plan)...)
}

func (n *note) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state noteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	text, err := os.ReadFile(n.path(state.Name.ValueString()))
	if os.IsNotExist(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	state.Id = types.StringValue("id-" + state.Name.ValueString())
	state.Text = types.StringValue(string(text))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, state)...)
}

func (n *note) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if err := os.WriteFile(n.path(plan.Name.ValueString()), []byte(plan.Text.ValueString()), 0o600); err != nil {
		resp.Diagnostics.AddError("Note Not Written", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, plan)...)
}

// identify sets the identity of a card. A note has none.
func identify(ctx context.Context, to *tfsdk.ResourceIdentity, of noteModel) diag.Diagnostics {
	if to == nil {
		return nil
	}
	return to.Set(ctx, identity{Name: of.Name})
}

func (n *note) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state noteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if err := os.Remove(n.path(state.Name.ValueString())); err != nil && !os.IsNotExist(err) {
		resp.Diagnostics.AddError("Note Not Deleted", err.Error())
	}
}

type length struct{}

type lengthModel struct {
	Text   types.String `tfsdk:"text"`
	Length types.Int64  `tfsdk:"length"`
}

func (*length) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "small_length"
}

func (*length) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = dschema.Schema{Attributes: map[string]dschema.Attribute{
		"text":   dschema.StringAttribute{Required: true},
		"length": dschema.Int64Attribute{Computed: true},
	}}
}

func (*length) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data lengthModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	data.Length = types.Int64Value(int64(len(data.Text.ValueString())))
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}

type twice struct{}

func (*twice) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "twice"
}

func (*twice) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:    "A text, twice.",
		Parameters: []function.Parameter{function.StringParameter{Name: "text"}},
		Return:     function.StringReturn{},
	}
}

func (*twice) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	resp.Error = function.ConcatFuncErrors(resp.Error, req.Arguments.Get(ctx, &text))
	resp.Error = function.ConcatFuncErrors(resp.Error, resp.Result.Set(ctx, text+text))
}
