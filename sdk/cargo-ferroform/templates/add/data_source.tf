data "@TYPE@" "example" {
  name = "example"
}

output "id" {
  value = data.@TYPE@.example.id
}
