package main

import (
	"context"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	aschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/list"
	lschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (*small) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{func() list.ListResource { return &card{note{kind: "card"}} }}
}

func (*small) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return &count{} }}
}

// A card is a note that has an identity, and can be listed.
type card struct{ note }

type identity struct {
	Name types.String `tfsdk:"name"`
}

type failing struct {
	Fails types.String `tfsdk:"fails"`
}

func (*card) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (*card) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("name"), path.Root("name"), req, resp)
}

func (*card) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = lschema.Schema{Attributes: map[string]lschema.Attribute{
		"fails": lschema.StringAttribute{Optional: true},
	}}
}

func (c *card) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config failing
	diagnostics := req.Config.Get(ctx, &config)
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		diagnostics.AddError("Cards Not Listed", err.Error())
	}
	if diagnostics.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diagnostics)
		return
	}
	var names []string
	for _, entry := range entries {
		if name, isCard := strings.CutSuffix(entry.Name(), ".card"); isCard {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	stream.Results = func(push func(list.ListResult) bool) {
		for at, name := range names {
			if int64(at) == req.Limit {
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = name
			result.Diagnostics.Append(result.Identity.Set(ctx, identity{Name: types.StringValue(name)})...)
			if req.IncludeResource {
				text, err := os.ReadFile(c.path(name))
				if err != nil {
					result.Diagnostics.AddError("Card Not Read", err.Error())
				}
				result.Diagnostics.Append(result.Resource.Set(ctx, noteModel{
					Id:   types.StringValue("id-" + name),
					Name: types.StringValue(name),
					Text: types.StringValue(string(text)),
				})...)
			}
			if !push(result) {
				return
			}
			if !config.Fails.IsNull() {
				crash(c.folder)
			}
		}
	}
}

type count struct{ folder string }

type countModel struct {
	To    types.Int64  `tfsdk:"to"`
	Fails types.String `tfsdk:"fails"`
}

func (*count) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "small_count"
}

func (*count) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = aschema.Schema{Attributes: map[string]aschema.Attribute{
		"to":    aschema.Int64Attribute{Required: true},
		"fails": aschema.StringAttribute{Optional: true},
	}}
}

func (c *count) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	c.folder, _ = req.ProviderData.(string)
}

func (c *count) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config countModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	for number := int64(1); number <= config.To.ValueInt64(); number++ {
		resp.SendProgress(action.InvokeProgressEvent{Message: strconv.FormatInt(number, 10)})
		switch config.Fails.ValueString() {
		case "crash":
			crash(c.folder)
		case "wait":
			<-ctx.Done()
			resp.Diagnostics.AddError("Count Interrupted", "The count was told to stop.")
			return
		}
	}
}

// crash ends the process as soon as the folder has the file `crash`: what was sent before has arrived by then.
func crash(folder string) {
	for {
		if _, err := os.Stat(filepath.Join(folder, "crash")); err == nil {
			os.Exit(2)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
