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
  const fromFrameworks = Object.entries(FRAMEWORKS).map(([path, name]) => ({
    path,
    text: asTypeScript(codeWith(`// ${name}\n`, 'docs/frameworks.md', 'js'), path),
  }))
  const policies = blocksOf('docs/policies.md', 'ts').map(({ heading, code }, index, all) => {
    const before = all.slice(0, index).filter((other) => other.heading === heading).length
    const name = heading.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    return { path: `policies/${name}${before === 0 ? '' : `-${before + 1}`}.ts`, text: code }
  })
  return [
    { path: 'minimal.ts', text: readmeBlocks().after },
    { path: 'alerts/slack.ts', text: codeWith('function slack(', 'docs/notices.md', 'ts') },
    {
      path: 'server-rendered/impersonations.mjs',
      text: codeWith('// impersonations.mjs\n', 'docs/server-rendered.md', 'js'),
    },
    ...fromFrameworks,
    ...policies,
    ...nextFiles(),
  ]
}

/** The code of a block, without a first line that names its file. */
function codeWith(mark: string, document: string, language: string): string {
  const block = blocksOf(document, language).find(({ code }) => code.includes(mark))
  if (!block) throw new Error(`${document} has no ${mark}`)
  return block.code.replace(/^\/\/ [\w.-]+\n/, '')
}

/** The files of Next.js, each with its path in its first line. */
function nextFiles(): ExampleFile[] {
  return blocksOf('docs/server-rendered.md', 'ts').flatMap(({ code }) => {
    const [, path, text = ''] = /^\/\/ (\S+\/\S+)\n(.*)/s.exec(code) ?? []
    return path ? [{ path: `nextjs/${path}`, text }] : []
  })
}

function asTypeScript(code: string, path: string): string {
  return code
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
