import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../support/compile.ts'
import { expectAnswer } from '../support/http.ts'
import { launch } from '../support/program.ts'
import { shared } from '../support/shared.ts'
import { snippetsOf } from './documents.ts'
import { expectWhole, TRIED_OUT } from './framework-server.ts'

const ROOT = join(import.meta.dirname, '../..')
const SERVERS = ['koa', 'express', 'fastify', 'hono', 'http']
/** Run in test/frameworks, where NestJS is installed, as is main.ts. */
const ELSEWHERE = ['nest']
const PARTS = ['provider', 'try', 'both', 'several', 'tenants', 'cors']

describe('docs/frameworks.md', () => {
  const snippets = shared(() => snippetsOf('frameworks.md', 'js'))

  it('has no file that no test runs', async () => {
    const files = await readdir(join(snippets.folder, 'src'))
    expect(files).to.have.members([...SERVERS, ...ELSEWHERE, ...PARTS].map((name) => `${name}.mjs`))
    await using typeScript = await snippetsOf('frameworks.md')
    expect(await readdir(join(typeScript.folder, 'src'))).to.have.members([
      'main.ts',
      'server.ts',
      'upstream-sign-in.ts',
    ])
  })

  it('says what try.mjs prints', async () => {
    const text = await readFile(join(ROOT, 'docs/frameworks.md'), 'utf8')
    expect(text).to.include(`\`\`\`text\n${TRIED_OUT}\`\`\``)
  })

  it('says how to install every package that a server imports', async () => {
    const text = await readFile(join(ROOT, 'docs/frameworks.md'), 'utf8')
    const [first = '', ...sections] = text.split(/^## /m).filter((part) => part.includes('```js'))
    const installed = (section: string) =>
      /^npm install (.+)$/m.exec(section)?.[1]?.split(' ') ?? []
    for (const section of sections) {
      for (const [, name = ''] of section.matchAll(
        /(?:from|import) '(?!node:)((?:@[\w-]+\/)?[\w-]+)/g,
      )) {
        const here = [...installed(first), ...installed(section)]
        expect(here, section.split('\n', 1)[0]).to.include(name)
      }
    }
  })

  it('compiles as TypeScript by the strictest settings', async () => {
    const folder = join(snippets.folder, 'typescript')
    const settings = { extends: '../tsconfig.json', include: ['.', '../package/host/*.d.ts'] }
    await mkdir(folder)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    for (const name of ['provider', ...SERVERS]) {
      const code = await readFile(join(snippets.folder, 'src', `${name}.mjs`), 'utf8')
      const typed = code
        .replace('./provider.mjs', './provider.mts')
        .replace('new Hono()', "new Hono<{ Bindings: import('@hono/node-server').HttpBindings }>()")
      await writeFile(join(folder, `${name}.mts`), typed)
    }
    expect(await compile(['-p', folder])).to.equal('')
  })

  it('has a configuration of its own that compiles, finds a mistyped option, and needs skipLibCheck', async () => {
    await using own = await snippetsOf('frameworks.md', 'ts')
    const project = ['-p', join(own.folder, 'tsconfig.json')]
    // NestJS is not installed here: nest-project.framework.ts.
    await rm(join(own.folder, 'src/main.ts'))
    expect(await compile(project)).to.equal('')
    const file = join(own.folder, 'src/server.ts')
    const code = await readFile(file, 'utf8')
    await writeFile(file, code.replace('devInteractions', 'devInteraction'))
    expect(await compile(project)).to.match(/server\.ts.*devInteraction/)
    await writeFile(file, "import Koa from 'koa'\nexport default new Koa()\n")
    const complaints = await compile([...project, '--skipLibCheck', 'false'])
    expect(complaints, 'the reason for skipLibCheck').to.match(/TS2694: .*content-disposition/)
  })

  for (const name of SERVERS) {
    it(`${name}.mjs issues, exchanges and signs in, and answers 404 to what it does not know`, async () => {
      const file = join(snippets.folder, 'src', `${name}.mjs`)
      await using server = await launch(file)
      await expectWhole(file, server)
      for (const path of ['/nothing', '/oidc/nothing', '/api', '/oidc']) {
        await expectAnswer(fetch(server.base + path), 404, undefined, path)
      }
    })
  }
})
