import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { readConfig } from '../../example-provider/config.ts'
import { banner } from '../../example-provider/demo/banner.ts'
import { bare, MAIN, run, start } from './support.ts'

/** As `npm start -- --commands` prints them. */
const WITH = { commands: true, shopUrl: 'http://127.0.0.1:3001' }

/** The lines that a user would copy: every line of the banner that is indented by two spaces. */
function commandsOf(printed: string): string {
  return [...printed.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line).join('\n')
}

async function bash(script: string, environment: Record<string, string> = {}): Promise<string[]> {
  const shell = spawn('bash', ['--norc', '-u'], { env: bare(environment) })
  shell.stdin.end(`${script}\n`)
  const [stdout, stderr] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'exit'),
  ])
  expect(stderr).to.equal('')
  return stdout.trim().split('\n')
}

describe('example provider: the printed commands', function () {
  this.timeout(120_000)

  it('are printed on request; without it, the links are', () => {
    const config = readConfig({ STORAGE_URL: 'memory:' })
    const plain = banner(config, 'http://localhost:3000', { ...WITH, commands: false })
    expect(plain).to.include('npm start -- --commands').and.not.include('curl')
    expect(banner(config, 'http://localhost:3000', WITH)).to.match(/^ {2}# .*\n {2}.*curl/m)
  })

  it('are printed for a copy that runs, and no second one starts', async () => {
    const example = await start()
    const { code, stdout } = await run(MAIN, { PORT: new URL(example.url).port }, '--commands')
    await example.close()
    expect(code).to.equal(0)
    expect(stdout).to.include(`curl -sS ${example.url}/oidc/token`).and.not.include('Ctrl-C')
  })

  it('work as they are, pasted into bash, with nothing but curl and sed', async () => {
    const example = await start()
    const script = commandsOf(banner(readConfig({ STORAGE_URL: 'memory:' }), example.url, WITH))
    const programs = [...script.matchAll(/(?:\$\(|\| *|^)([a-z]\w*)/gm)].map(([, name]) => name)
    expect(new Set(programs)).to.deep.equal(new Set(['mktemp', 'curl', 'sed', 'rm', 'echo']))

    const lines = await bash(script)
    await example.close()
    expect(lines).to.have.lengthOf(6)
    const [signedIn, issued, exchanged, orders, direct, again] = lines
    expect(signedIn).to.match(/^Signed in: 43 characters/)
    for (const line of [issued, direct]) {
      expect(JSON.parse(line ?? '')).to.have.all.keys('subjectToken', 'expiresIn')
    }
    for (const line of [exchanged, again]) {
      expect(JSON.parse(line ?? '')).to.include({ token_type: 'Bearer', scope: 'orders:read' })
    }
    expect(JSON.parse(orders ?? '')).to.include({ userId: 'alice', actor: 'olivia' })
    const { access_token } = JSON.parse(again ?? '')
    expect(decodeJwt(access_token)).to.deep.include({ sub: 'alice', act: { sub: 'olivia' } })
  })

  it('work by the stricter rules, with secrets of their own from the environment', async () => {
    const secrets = {
      DEMO_PASSWORD: "it's 100% & $HOME+more",
      SUPPORT_BACKEND_SECRET: 'backend-secret-of-our-own',
    }
    const example = await start({ STRICT: '1', ...secrets })
    const config = readConfig({ STORAGE_URL: 'memory:', STRICT: '1', ...secrets })
    const lines = await bash(commandsOf(banner(config, example.url, WITH)), secrets)
    await example.close()
    expect(JSON.parse(lines[3] ?? '')).to.include({ userId: 'alice', actor: 'olivia' })
    expect(JSON.parse(lines.at(-1) ?? '')).to.include({ token_type: 'Bearer' })
  })
})
