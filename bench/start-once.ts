// One start in its own process. It prints the milliseconds from before the import until the
// provider is ready. With impersonation, it runs the built package, as the process of a user does.
const started = performance.now()
const issuer = 'https://id.example.com'
// Both sides have an adapter and print no warnings, because neither is part of the measurement.
const adapter = class {
  async consumeOnce() {
    return false
  }
}
console.warn = console.info = () => {}
if (process.argv[2] === 'plain') {
  const { Provider } = await import('oidc-provider')
  new Provider(issuer, { adapter: adapter as never })
} else {
  // Import the file by its URL: before a build, the module does not exist. The types come from the
  // source.
  const built = new URL('../dist/index.js', import.meta.url).href
  const { Provider }: typeof import('../src/index.ts') = await import(built)
  const provider = new Provider(issuer, {
    adapter: adapter as never,
    features: {
      clientCredentials: { enabled: true },
      impersonation: {
        enabled: true,
        managementApi: { resource: 'https://id.example.com/api', clients: ['backend'] },
      },
    },
  })
  provider.impersonation.routes()
}
process.stdout.write(String(performance.now() - started))
