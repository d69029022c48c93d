import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'
import { blocksOf, call, pageOf, snippetsOf } from './documents.ts'

const ROOT = new URL('../../', import.meta.url)
/** Said by Node, TypeScript or a browser. */
const OF_OTHERS = [
  'ERR_MODULE_NOT_FOUND',
  "SyntaxError: The requested module 'oidc-provider/lib/helpers/grants.js' does not provide an export named …",
  'SyntaxError: Cannot use import statement outside a module',
  "TS7016: Could not find a declaration file for module 'oidc-provider'",
]
describe('docs/troubleshooting.md', () => {
  let told: string[]
  let ours: string[]
  let hosts: string[]

  before(async () => {
    told = messagesIn(await pageOf('troubleshooting.md'))
    ours = await sources('{src,packages/{browser,resource-server,testing}/src}/**/*.ts')
    hosts = await sources('node_modules/oidc-provider/lib/**/*.js')
  })

  it('quotes messages that are in the source of the package or of oidc-provider', () => {
    expect(told).to.have.length.greaterThan(70)
    for (const message of told.filter((each) => !OF_OTHERS.includes(each))) {
      // `must()` of src/options/rules.ts puts the first words before the others.
      const own = message.replace(/^… must be /, '')
      const found = [...ours, ...hosts].some((source) => says(source, own))
      expect(found, message).to.equal(true)
    }
  })

  it('quotes sentences that the console shows', async () => {
    const page = await pageOf('troubleshooting.md')
    const words = await readFile(new URL('packages/console/src/web/words/en.json', ROOT), 'utf8')
    const quoted = [...page.matchAll(/^- \*\*"([^"]+)"/gm)].map(([, sentence = '']) => sentence)
    expect(quoted).to.have.length.greaterThan(3)
    for (const sentence of quoted.filter((each) => each !== 'Failed to fetch')) {
      expect(words).to.include(sentence)
    }
  })

  it('has every warning by its code', async () => {
    const table = await readFile(new URL('src/shared/warn.ts', ROOT), 'utf8')
    const codes = [...table.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code = '']) => code)
    expect(codes).to.have.length.greaterThan(8)
    for (const code of [...codes, 'USE_NOT_RECORDED', 'OUTSIDE_TESTS']) {
      expect(told, code).to.include(code)
      const isGiven = ours.some((source) =>
        new RegExp(`(?:warn\\(|code:|return \\{ code:)\\s*'${code}'`).test(source),
      )
      expect(isGiven, code).to.equal(true)
    }
    const otherwise = ours.flatMap((source) => [
      ...source.matchAll(/emitWarning\((?!message, \{)/g),
    ])
    expect(otherwise, 'warnings without a code').to.have.length(0)
  })
})

describe('docs/troubleshooting.md: its code', () => {
  it('tells what a 500 was', async () => {
    await using snippets = await snippetsOf('troubleshooting.md')
    const { tellServerErrors } = await snippets.load('500 server_error')
    await using deployment = await deploy({
      impersonation: { authorize: () => Promise.reject(new Error('the policy service is down')) },
    })
    call(tellServerErrors, deployment.provider)
    const { error } = console
    const printed: unknown[][] = []
    console.error = (...told: unknown[]) => printed.push(told)
    const { status } = await deployment.issue()
    console.error = error
    expect([status, printed.length]).to.deep.equal([500, 1])
    expect(printed[0]?.slice(0, 2)).to.deep.equal(['POST', '/api/subject-tokens'])
    expect(printed[0]?.at(-1)).to.have.property('message', 'the policy service is down')
  })

  it('has commands that look at a token, at what the guard fetches, and at what a page may ask', async () => {
    const blocks = await blocksOf('troubleshooting.md', 'sh')
    const commands = blocks.filter((block) => /^(?:curl|node|for)/.test(block))
    expect(commands).to.have.lengthOf(3)
    const [ask = '', look = '', fetchAll = ''] = commands
    await using snippets = await snippetsOf('troubleshooting.md')
    const { cors } = await snippets.load('The browser says "Failed to fetch"')
    await using deployment = await deploy({
      configuration: cors as DeploymentOptions['configuration'] & {},
    })
    const run = async (command: string, environment: Record<string, string> = {}) => {
      const here = command.replaceAll('https://id.example.com/oidc', deployment.issuer)
      const env = { PATH: process.env.PATH, ...environment }
      const { stdout } = await promisify(execFile)('bash', ['-euc', here], { env })
      return stdout
    }
    const allowed = await run(ask)
    expect(allowed).to.match(/^HTTP\/1.1 400 /)
    expect(allowed.toLowerCase()).to.include('access-control-allow-origin: https://console')
    const refused = await run(ask.replace('//console.example.com', '//other.example.com'))
    expect(refused).to.include('origin https://other.example.com not allowed for client: console')

    const { token: TOKEN } = await deployment.impersonate()
    const shown = await run(look, { TOKEN })
    expect(shown).to.include("typ: 'at+jwt'").and.to.include("sub: 'alice'")
    const { status } = decodeJwt(TOKEN)
    const STATUS_URI = String(Object(status).status_list.uri)
    const fetched = await run(fetchAll, { STATUS_URI })
    expect(fetched.match(/^200 \w{3}, .* GMT http:\/\/127/gm)).to.have.lengthOf(3)
  })
})

/** The texts in backticks in the first column, or in the bold words of an item. Names and routes are no messages. */
function messagesIn(document: string): string[] {
  return document.split('\n').flatMap((line) => {
    const [, bold] = /^- \*\*(.*?)\*\*/.exec(line) ?? []
    const [cell = ''] = bold === undefined && line.startsWith('| ') ? line.split(' | ') : [bold]
    return [...cell.matchAll(/`([^`]+)`/g)]
      .map(([, message = '']) => message)
      .filter((message) => !/^[\w./-]+$/.test(message) || /^[A-Z_]+$/.test(message))
  })
}

/** Sources with each message in one piece, and `…` for what differs. */
async function sources(pattern: string): Promise<string[]> {
  const texts: string[] = []
  for await (const file of glob(pattern, { cwd: ROOT })) {
    texts.push(plain(await readFile(new URL(file, ROOT), 'utf8')))
  }
  return texts
}

function plain(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (\w+) = '([^']+)'$/gm)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  )
  // `path` of the guard's DPoP options is told by their caller.
  if (source.includes('resolveDPoP(\n')) constants.set('path', 'resourceServer.dPoP')
  return source
    .replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole)
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
    .replaceAll(/['`"] \+\s+['`"]/g, '')
    .replaceAll(/\\(['"`])/g, '$1')
}

/** Returns whether all pieces of a message stand close together in the text, in their order. */
function says(text: string, message: string): boolean {
  const pieces = message.split('…').filter((piece) => piece !== '')
  const pattern = pieces
    .map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^\\n]{0,300}?')
  return new RegExp(pattern).test(text)
}
