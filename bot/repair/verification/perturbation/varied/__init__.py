"""Run tests in other languages than Python on inputs near their own: copies of them, varied in their source."""
