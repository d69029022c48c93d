import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readmeBlocks } from './readme.ts'

// The files of examples/ that documents show are made from the documents. Run this script after a
// change of a block; test/examples/texts.test.ts compares both.

const ROOT = new URL('..', import.meta.url)

/** A file below examples/, and its text. */
export interface ExampleFile {
  readonly path: string
  readonly text: string
}

/** The blocks of docs/frameworks.md, by file. Hono's types need one word more. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  'provider.ts': 'provider.mjs',
  'express.ts': 'express.mjs',
  'fastify.ts': 'fastify.mjs',
  'hono.ts': 'hono.mjs',
  'nest/main.ts': 'nest.mjs',
}

export function examplesFromDocs(): ExampleFile[] {
  const servers = blocksOf('docs/frameworks.md', 'js')
  const fromFrameworks = Object.entries(FRAMEWORKS).map(([path, name]) => {
    const block = servers.find(({ code }) => code.startsWith(`// ${name}\n`))
    if (!block) throw new Error(`docs/frameworks.md has no ${name}`)
    return { path, text: asTypeScript(block.code, path) }
  })
  const policies = blocksOf('docs/policies.md', 'ts').map(({ heading, code }, index, all) => {
    const before = all.slice(0, index).filter((other) => other.heading === heading).length
    const name = heading.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    return { path: `policies/${name}${before === 0 ? '' : `-${before + 1}`}.ts`, text: code }
  })
  const slack = blocksOf('docs/notices.md', 'ts').find(({ code }) =>
    code.includes('function slack('),
  )
  if (!slack) throw new Error('docs/notices.md does not post to Slack')
  const alerts = { path: 'alerts/slack.ts', text: slack.code }
  const serverRendered = blocksOf('docs/server-rendered.md', 'js').flatMap(({ code }) => {
    const [first = '', name = ''] = /^\/\/ (impersonations\.mjs|hono\.mjs)\n/.exec(code) ?? []
    return name ? [{ path: `server-rendered/${name}`, text: code.slice(first.length) }] : []
  })
  return [
    { path: 'minimal.ts', text: readmeBlocks().after },
    ...[...fromFrameworks, ...policies, alerts, ...serverRendered, ...nextFiles()],
  ]
}

/** The files that docs/nextjs.md shows. Each block says in its first line which one it is. */
export function nextFiles(isForBrowser = false): ExampleFile[] {
  const blocks = blocksOf('docs/nextjs.md', 'tsx?')
  return blocks.flatMap(({ heading, code }) => {
    const [, path, text = ''] = /^\/\/ (\S+)\n(.*)/s.exec(code) ?? []
    const isOther = heading.includes('in the browser') !== isForBrowser
    return path && !isOther ? [{ path: `nextjs/${path}`, text }] : []
  })
}

function asTypeScript(code: string, path: string): string {
  return code
    .slice(code.indexOf('\n') + 1)
    .replace("'./provider.mjs'", path.includes('/') ? "'../provider.ts'" : "'./provider.ts'")
    .replace('new Hono()', "new Hono<{ Bindings: import('@hono/node-server').HttpBindings }>()")
}

/** The blocks of a language, each with the heading above it. */
function blocksOf(document: string, language: string): { heading: string; code: string }[] {
  const text = readFileSync(new URL(document, ROOT), 'utf8')
  return text.split(/^## /m).flatMap((section) => {
    const heading = section.split('\n', 1)[0] ?? ''
    const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
    return [...blocks].map(([, code = '']) => ({ heading, code }))
  })
}

if (import.meta.main) {
  for (const { path, text } of examplesFromDocs()) {
    const file = new URL(`examples/${path}`, ROOT)
    mkdirSync(new URL('.', file), { recursive: true })
    writeFileSync(file, text)
  }
}
