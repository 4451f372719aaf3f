"""JavaScript and TypeScript on Node.js: npm, pnpm, Yarn, Bun and their test runners."""
