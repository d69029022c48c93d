import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readConfig } from '../../example-provider/config.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('docs/deployment.md', () => {
  let ports: { readonly provider: number[]; readonly shop: number[] }

  before(async () => {
    const page = await readFile(join(ROOT, 'docs/deployment.md'), 'utf8')
    const [loop] = /^for .* npm start & done$/m.exec(page) ?? []
    if (loop === undefined) throw new Error('docs/deployment.md starts no copies')
    // Says the settings of each copy in place of starting it.
    const npm = 'npm() { echo "$PORT $SHOP_PORT"; }'
    const { stdout } = await promisify(execFile)('bash', ['-ec', `${npm}\n${loop}\nwait`])
    const copies = stdout
      .trim()
      .split('\n')
      .map((line) => {
        const [PORT, SHOP_PORT] = line.split(' ')
        return readConfig({ PORT, SHOP_PORT })
      })
    expect(copies).to.have.lengthOf(3)
    ports = {
      provider: copies.map(({ port }) => port).sort(),
      shop: copies.map(({ shopPort }) => shopPort).sort(),
    }
  })

  it('starts copies of which no two want the same port', () => {
    const all = [...ports.provider, ...ports.shop]
    expect(all).to.have.lengthOf(new Set(all).size)
  })

  for (const [file, part] of [
    ['haproxy.cfg', /^backend (copies|shops)\n((?: {2}.*\n)+)/gm],
    ['nginx.conf', /^upstream (copies|shops) \{\n(.*?)^\}/gms],
  ] as const) {
    it(`leads to each copy and to its shop: ${file}`, async () => {
      const page = await readFile(join(ROOT, 'docs/deployment.md'), 'utf8')
      const [, text = ''] =
        new RegExp(`^\`\`\`\\w+\\n# ${file}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? []
      const parts = new Map([...text.matchAll(part)].map(([, name, body = '']) => [name, body]))
      const portsIn = (name: string) =>
        [...(parts.get(name) ?? '').matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, at]) => Number(at))
      expect(portsIn('copies')).to.deep.equal(ports.provider)
      expect(portsIn('shops')).to.deep.equal(ports.shop)
    })
  }
})
