// Run in a process of its own for each supported version: prints what the seam offers there.
import { readFileSync } from 'node:fs'
import * as grants from '../../src/host/grants.ts'
import * as instance from '../../src/host/instance.ts'
import * as models from '../../src/host/models.ts'
import * as request from '../../src/host/request.ts'

const manifest = new URL('../package.json', import.meta.resolve('oidc-provider'))
const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
const seam = { ...instance, ...grants, ...models, ...request }
const kinds = Object.entries(seam).map(([name, value]) => [name, typeof value])
console.log(JSON.stringify({ version, kinds: Object.fromEntries(kinds) }))
