import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { eventsPage } from '../../scripts/events-table.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { counted } from '../impersonations/recorded-endings.ts'
import { deploy } from '../support/deployment.ts'
import { renewed, shared } from '../support/shared.ts'
import { call, pageOf, snippetsOf } from './documents.ts'

const ROOT = join(import.meta.dirname, '../..')

type Stored = ImpersonationEvent & { readonly name: string }

/** The cells of the table under a heading, without its head. */
function rowsOf(document: string, heading: string): string[][] {
  const [, section = ''] = document.split(heading)
  const [table = ''] = /^\|.*?^(?!\|)/ms.exec(section) ?? []
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) =>
    row
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
}

describe('docs/events.md', () => {
  let document: string

  before(async () => {
    document = await pageOf('events.md')
  })
  const snippets = shared(() => snippetsOf('events.md'))
  const deployment = renewed(deploy)

  it('names every event, every member of one, and every entry of the audit', async () => {
    const source = await readFile(join(ROOT, 'src/public/events.ts'), 'utf8')
    const [, shape = ''] = /interface ImpersonationEvent \{(.*?)^\}/ms.exec(source) ?? []
    const members = [...shape.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => `\`${name}\``)
    const named = rowsOf(document, '## Members of an event').map(([member]) => member)
    expect(named).to.have.length.above(10).and.to.have.members(members)
    for (const [, name = ''] of source.matchAll(/^ {2}'([\w.]+)':/gm)) {
      expect(document).to.include(`\`${name}\``)
    }
    const entries = join(ROOT, 'packages/verify/src/format/events.json')
    const rows = rowsOf(document, '## Entries of the console').map(([names = '']) => names)
    const described = rows.flatMap((names) => {
      const [, group = ''] = /`(\w+)\./.exec(names) ?? []
      return [...names.matchAll(/`(\w*)(\.\w+)`/g)].map(([, own, name]) => (own || group) + name)
    })
    const known = Object.keys(JSON.parse(await readFile(entries, 'utf8')))
    const inText = document.match(/impersonation\.(?:issued|started|denied|replayed|ended)/g) ?? []
    expect([...new Set([...described, ...inText])]).to.have.members(known)
  })

  it('has the table that npm run docs:options writes', () => {
    expect(document, 'run: npm run docs:options').to.equal(eventsPage())
  })

  it('prints and stores events, one line and one row each, and says which event has which member', async () => {
    const { logEvents } = await snippets.load('# Events')
    const { storeEvents } = await snippets.load('Store them in a table')
    const { exchange, orders, provider } = deployment
    const { log } = console
    const lines: string[] = []
    console.log = (line: string) => lines.push(line)
    using database = new DatabaseSync(':memory:')
    call(logEvents, provider)
    const { historyOf } = Object(call(storeEvents, provider, database))
    const actor_token = await deployment.actorToken()
    const bound = { mayAct: { sub: 'olivia' }, resource: orders, scope: 'orders:read' }
    const subject_token = await deployment.subjectToken(bound)
    await exchange({ subject_token })
    const { body } = await exchange({ subject_token, actor_token })
    await exchange({ subject_token, actor_token })
    // The end comes after the answer to the replay.
    await counted(lines, 5)
    console.log = log

    const jti = String(decodeJwt(body.access_token).jti)
    const history: Stored[] = historyOf('alice')
    const names = ['issued', 'denied', 'started', 'replayed', 'ended']
    expect(history.map(({ name }) => name)).to.deep.equal(names.map((it) => `impersonation.${it}`))
    const printed = lines.map((line) => JSON.parse(line).event)
    expect(printed).to.deep.equal(history.map(({ name }) => name))
    expect(history[2]).to.include({ userId: 'alice', client: 'console', jti })
    expect(history[4]?.end?.cause).to.equal('replay')
    const addresses = database.prepare('SELECT DISTINCT address FROM impersonation_event').all()
    expect(addresses.map(({ address }) => address)).to.deep.equal(['127.0.0.1', null])

    for (const name of ['issued', 'started', 'denied', 'replayed', 'ended']) {
      const event = history.find((it) => it.name === `impersonation.${name}`)
      for (const [member = '', , events = ''] of rowsOf(document, '## Members of an event')) {
        const [always = '', perhaps = ''] = events.split('(')
        const has = (part: string) => part.includes('all') || part.includes(name)
        if (has(always)) expect(event, name).to.have.property(member.replaceAll('`', ''))
        else if (!has(perhaps)) expect(event, name).not.to.have.property(member.replaceAll('`', ''))
      }
    }
  })
})
