// One start, in a process of its own: prints the milliseconds from before the import until the
// provider stands. With impersonation it runs the built package, as a user's process would.
const started = performance.now()
const issuer = 'https://id.example.com'
// Both sides have an adapter and no warnings to print: that is not what is measured.
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
  // By its file: before a build there is nothing to resolve, and types come from the source.
  const built = new URL('../dist/index.js', import.meta.url).href
  const { Provider }: typeof import('../src/index.ts') = await import(built)
  const provider = new Provider(issuer, {
    adapter: adapter as never,
    features: {
      impersonation: { enabled: true, managementApi: { resource: 'https://id.example.com/api' } },
    },
  })
  provider.impersonation.routes()
}
process.stdout.write(String(performance.now() - started))
