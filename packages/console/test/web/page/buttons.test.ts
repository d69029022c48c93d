import { expect } from 'chai'
import { over, recordPast } from '../../features/personal-data/person.ts'
import { formsOf } from '../../support/forms.ts'
import { storePause } from '../../support/store-pause.ts'
import { deployWithPermits, RULE } from '../../support/with-permits.ts'

// The package compiles its views when it is loaded.
const { STAFF_TABLE } = await import('../../../src/console-site.ts')

/** The most pages of one kind that a person walks through: those of several permits, for example. */
const MAX_OF_A_KIND = 6

/** A deployment in which there is something of everything. */
async function busyDeployment() {
  const deployment = await deployWithPermits(RULE, {
    permits: { approvers: () => [{ id: 'grace' }, { id: 'ada' }] },
    console: { mayErase: ({ accountId }) => ['ada', 'grace'].includes(accountId) },
  })
  const { request } = deployment
  for (const operator of ['olivia', 'oscar', 'grace']) {
    await request({ operator, customer: 'carla' })
    await request({ operator, customer: 'bob' })
    if (operator === 'grace') await request({ operator })
    else await deployment.granted({ operator })
    // Whoever has one that nobody looked at may not have another.
    if (operator !== 'olivia') await deployment.emergency({ operator, customer: 'amir.ng' })
    const read = { operator, access: 'read', customer: 'carla' } as const
    const running = await deployment.impersonate(read)
    await running.look()
    if (operator === 'olivia') {
      await deployment.ask(operator, `/running/${running.id}/end`, {})
      await deployment.ask('grace', `/audit/${running.id}/hold`, { note: 'A lawyer asks' })
    }
  }
  const stolen = await deployment.impersonate({ operator: 'oscar', access: 'read' })
  await stolen.replay()
  await storePause(deployment, { operator: 'oscar', customer: 'bea.okoye', by: 'bea.okoye' })
  await recordPast(deployment.audit, ...over('d', 'dana'), ...over('e', 'erin'))
  await deployment.ask('ada', '/personal-data/dana/erase', { note: 'DPO-1' })
  return deployment
}

const LATE = '&ticket=SUP-123&reason=late'

/** The first pages of a person who may act: forms that start, and forms that ask. */
const FORMS = ['alice&access=change', 'chen.petrov&access=change', 'bob', 'carla'].map(
  (query) => `/act?user=${query}${LATE}`,
)
const STARTS: Readonly<Record<string, readonly string[]>> = {
  ...{ olivia: FORMS, oscar: FORMS, grace: [...FORMS, '/personal-data/dana'] },
  ada: ['/personal-data/erin'],
}

/** The line of the table that a path is of. A record has a button for each word. */
const kindOf = (path: string) =>
  STAFF_TABLE.map((route) => route.path).find((pattern) =>
    new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
  ) ?? path

const plain = (text: string) => text.replaceAll('&amp;', '&')

/** The actions of the buttons of a page, and the fields that they send. */
function buttonsOf(html: string): readonly (readonly [string, Record<string, string>])[] {
  return [...html.matchAll(/<form[^>]* method="post".*?<\/form>/gs)].flatMap(([form]) => {
    const [[action = '', fields = {}] = []] = formsOf(form)
    const own = /<button(?![^>]*formaction)/.test(form) ? [action] : []
    const others = [...form.matchAll(/ formaction="\/console([^"]*)"/g)].map(([, to = '']) => to)
    const typed = Object.entries(fields).map(([name, value]) => [name, plain(value) || 'Because'])
    return [...own, ...others].map((to) => [to, Object.fromEntries(typed)] as const)
  })
}

describe('the pages, walked through by each person of the support', () => {
  const pressed = new Set<string>()

  for (const [who, starts] of Object.entries(STARTS)) {
    it(`have no link and no button for ${who} that ${who} may not use`, async () => {
      await using deployment = await busyDeployment()
      const own = new Set<string>()
      const paths = ['', ...starts]
      const walked: string[] = []
      for (const path of paths) {
        const { status, text } = await deployment.browse(who, path)
        expect(status, path).to.be.below(400)
        const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
        expect([...new Set(ids)], path).to.deep.equal(ids)
        for (const [, link = ''] of text.matchAll(/ href="\/console([^"#]*)/g)) {
          const kind = kindOf(link.split('?')[0] ?? '')
          const isKnown = paths.includes(plain(link)) || link.startsWith('/assets/')
          if (isKnown || walked.filter((each) => each === kind).length >= MAX_OF_A_KIND) continue
          walked.push(kind)
          paths.push(plain(link))
        }
        for (const [button, fields] of buttonsOf(text)) {
          const kind = button.replace(/(?<=^\/records\/)[^/]+/, ':id')
          const pattern = kind === button ? kindOf(button) : kind
          if (own.has(pattern) || button === '/sign-out') continue
          own.add(pattern)
          const answer = await deployment.send(who, button, fields)
          expect(answer.status, `${button} of ${path}`).not.to.equal(403)
        }
      }
      for (const each of own) pressed.add(each)
    })
  }

  it('have a button for every action', () => {
    const actions = STAFF_TABLE.filter(({ method }) => method === 'POST')
      .map(({ path }) => path)
      // By the API alone.
      .filter((path) => path !== '/permits/emergency')
      .filter((path) => path !== '/records/:id/:event')
    const words = ['granted', 'declined', 'revoked', 'reviewed', 'lifted', 'confirmed']
    expect([...pressed]).to.have.members([
      ...actions,
      ...words.map((word) => `/records/:id/${word}`),
    ])
  })
})
