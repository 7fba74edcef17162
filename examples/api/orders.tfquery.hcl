list "api_queue" "orders" {
  provider = api
  limit    = 3

  config {
    name_prefix = "orders"
  }
}
