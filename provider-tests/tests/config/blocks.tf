terraform {
  required_providers {
    demo = {
      source = "example.com/acme/demo"
    }
  }
}

provider "demo" {
  alias  = "west"
  region = "w"

  limit "cpu" {
    max = 1
  }
}

resource "demo_file" "a" {
  for_each = {
    k = "v"
  }
  provider = demo.west

  empty {}

  lifecycle {
    prevent_destroy = true
    ignore_changes  = all
    replace_triggered_by = [
      demo_file.b[0].name
    ]
  }

  depends_on = [
    data.demo_token.t
  ]
}

data "demo_token" "t" {}

import {
  to = demo_file.a["k"]
  id = "id"
}

import {
  to = demo_file.a
  identity = {
    name = "x"
  }
}

moved {
  from = demo_file.x
  to   = demo_file.y[0]
}

removed {
  from = demo_file.z

  lifecycle {
    destroy = true
  }
}

removed {
  from = demo_file.w

  lifecycle {
    destroy = false
  }
}

output "o" {
  value     = 1
  sensitive = true
}
