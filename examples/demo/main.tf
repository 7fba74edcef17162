terraform {
  required_providers {
    demo = { source = "example.com/ferroform/demo" }
  }
}

variable "root" {
  type        = string
  default     = "."
  description = "An existing folder."
}

provider "demo" {
  root = var.root
}

resource "demo_directory" "site" {
  name = "site"
}

resource "demo_file" "index" {
  name    = "${demo_directory.site.name}/index.html"
  content = "<h1>Hello</h1>\n"
}

resource "demo_token" "api" {
  length  = 24
  keepers = { rotated = "2026-01" }
}

resource "demo_service" "web" {
  name   = "web"
  port   = 8080
  tags   = ["public", "http"]
  labels = { team = "core" }
  token  = demo_token.api.value

  endpoints = [
    { host = "a.example.com" },
    { host = "b.example.com", port = 8443 },
  ]

  limits = { memory = 512 }
}

data "demo_file" "index" {
  name = demo_file.index.name
}

output "urls" {
  value = demo_service.web.endpoints[*].url
}

output "size" {
  value = data.demo_file.index.size
}

output "name" {
  value = provider::demo::base_name(demo_file.index.name)
}

output "is_unchanged" {
  value = provider::demo::digest(demo_file.index.content) == demo_file.index.sha256
}

output "archive" {
  value = "${provider::demo::file_name("-", demo_directory.site.name, "2026", null)}.tar"
}
