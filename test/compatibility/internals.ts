// Run in a process of its own for each supported version: prints what the seam offers there.
import { readFileSync } from 'node:fs'
import * as internals from '../../src/oidc-provider-internals.ts'

const manifest = new URL('../package.json', import.meta.resolve('oidc-provider'))
const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
const kinds = Object.entries(internals).map(([name, value]) => [name, typeof value])
console.log(JSON.stringify({ version, kinds: Object.fromEntries(kinds) }))
