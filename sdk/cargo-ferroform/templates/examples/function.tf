output "slug" {
  value = provider::@NAME@::slug("Hello, World")
}
