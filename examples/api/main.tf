terraform {
  required_providers {
    api = { source = "example.com/ferroform/api" }
  }
}

provider "api" {
  endpoint = "http://127.0.0.1:8480"
}

resource "api_queue" "orders" {
  name      = "Orders"
  retention = "90m"
  regions   = ["us", "eu"]
  labels    = { team = "core" }
  policy    = jsonencode({ read = ["all"], admin = [] })

  timeouts {
    create = "2m"
  }
}

# The service chooses the name, so that the queue can be replaced before it is destroyed.
resource "api_queue" "spare" {
  name_prefix = "spare-"
  type        = "ordered"

  lifecycle {
    create_before_destroy = true
  }
}

# The type of the queue is what the service has filled in.
resource "api_subscription" "billing" {
  name   = "Billing"
  queue  = api_queue.orders.id
  filter = api_queue.orders.type
}

# The token is valid while something uses it. It is in no state and in no plan.
ephemeral "api_token" "audit" {
  name = "audit"
}

provider "api" {
  alias    = "audit"
  endpoint = "http://127.0.0.1:8480"
  token    = ephemeral.api_token.audit.token
}

resource "api_queue" "audit" {
  provider = api.audit
  name     = "Audit"
}

data "api_queues" "all" {
  depends_on = [api_queue.orders, api_queue.spare, api_queue.audit]
}

output "names" {
  value = data.api_queues.all.names
}
