import { access, glob, readFile } from 'node:fs/promises'
import { expect } from 'chai'

const ROOT = new URL('../../', import.meta.url)

describe('the links of the documents', () => {
  it('lead to files that exist, and to headings that they have', async () => {
    const broken: string[] = []
    for await (const document of glob(['*.md', 'docs/**/*.md', 'console/*.md'], { cwd: ROOT })) {
      const text = await readFile(new URL(document, ROOT), 'utf8')
      for (const [, link = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [path = '', anchor] = link.split('#')
        const target =
          path === '' ? new URL(document, ROOT) : new URL(path, new URL(document, ROOT))
        if (!(await exists(target))) broken.push(`${document}: ${link}`)
        else if (anchor && !anchorsOf(await readFile(target, 'utf8')).has(anchor)) {
          broken.push(`${document}: ${link}`)
        }
      }
    }
    expect(broken).to.deep.equal([])
  })
})

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '')
}

async function exists(file: URL): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}

/** The anchors that GitHub makes of headings: lower case, without punctuation, numbered if repeated. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(document).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    let number = 0
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`)
  }
  return anchors
}
