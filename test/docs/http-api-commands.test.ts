import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { bare, start } from '../example-provider/support.ts'
import { blocksOf } from './documents.ts'

describe('docs/http-api.md: the commands', () => {
  it('work as they stand, one after the other, from the machine token on', async () => {
    await using example = await start()
    const blocks = await blocksOf('http-api.md', 'bash')
    const { port } = new URL(example.url)
    const shell = spawn('bash', ['--norc', '-u'], { env: bare({ PORT: port }) })
    shell.stdin.end(blocks.join('\n'))
    const [stdout, stderr] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'exit'),
    ])
    expect(stderr).to.equal('')
    const [machine, issued, exchanged, orders, first, second, again, listed, ended, ...error] =
      stdout.trim().split(/\r?\n/)
    expect(machine).to.match(/^\d{3} characters of machine token$/)
    expect(JSON.parse(issued ?? '')).to.have.all.keys('subjectToken', 'expiresIn')
    const members = ['access_token', 'expires_in', 'issued_token_type', 'scope', 'token_type']
    expect(JSON.parse(exchanged ?? '')).to.have.all.keys(members)
    expect(JSON.parse(orders ?? '')).to.include({ userId: 'alice' })
    expect([first, second]).to.deep.equal(['first end: 204', 'second end: 401'])
    expect(again).to.equal(
      '{"error":"invalid_request","error_description":"subject token is invalid"} 400',
    )
    const { items } = JSON.parse(listed ?? '')
    expect(items).to.have.lengthOf(1)
    expect(items[0]).to.include({ userId: 'alice', state: 'ended', client: 'support-tool' })
    expect(JSON.parse(ended ?? '')).to.deep.equal({ ended: 0 })
    expect(error).to.deep.equal([
      'HTTP/1.1 400 Bad Request',
      'Cache-Control: no-store',
      '{"error":"invalid_request","error_description":"contxt is not known; known are: userId, context, mayAct, resource, scope, expiresIn"}',
    ])
  })
})
