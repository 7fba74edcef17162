output "result" {
  value = provider::@NAME@::@ITEM@("Hello, World")
}
