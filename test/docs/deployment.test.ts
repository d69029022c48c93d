import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

describe('docs/deployment.md', () => {
  let page: string

  before(async () => {
    page = await readFile(new URL('../../docs/deployment.md', import.meta.url), 'utf8')
  })

  for (const [file, part] of [
    ['haproxy.cfg', /^backend (copies|shops)\n((?: {2}.*\n)+)/gm],
    ['nginx.conf', /^upstream (copies|shops) \{\n(.*?)^\}/gms],
  ] as const) {
    it(`leads to each copy that it starts, and to its shop: ${file}`, () => {
      const [, numbers = '', copy = '', shop = ''] =
        /^for n in (.+?); do PORT=(\d+)\$n SHOP_PORT=(\d+)\$n npm start & done$/m.exec(page) ?? []
      const ports = (beginning: string) => numbers.split(' ').map((number) => beginning + number)
      expect(new Set([...ports(copy), ...ports(shop)]).size).to.equal(6)
      const block = new RegExp(`^\`\`\`\\w+\\n# ${file}\\n(.*?)^\`\`\`$`, 'ms')
      const [, text = ''] = block.exec(page) ?? []
      const parts = [...text.matchAll(part)].map(([, name, body = '']) => [
        name,
        [...body.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port),
      ])
      expect(Object.fromEntries(parts)).to.deep.equal({ copies: ports(copy), shops: ports(shop) })
    })
  }
})
