import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { type Answer, type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { expectExchanged, operatorJwt, resigned } from './attacks.ts'

const resource = 'https://id.example/api'
const features = {
  registration: { enabled: true, initialAccessToken: true },
  registrationManagement: { enabled: true },
}

describe('what is presented in the place of a token: no 5xx, no token', () => {
  let deployment: Deployment
  /** A subject token that is never exchanged, for the attempts on the actor's place. */
  let subject_token: string
  let actor: { opaque: string; jwt: string }
  let m2m: { opaque: string; jwt: string }

  before(async () => {
    deployment = await deploy({
      configuration: { features },
      impersonation: { managementApi: { resource, tokenFormat: 'opaque' } },
      resources: { 'https://machines.example': { scope: 'impersonate', accessTokenFormat: 'jwt' } },
    })
    actor = {
      opaque: (await signIn(deployment, 'olivia')).access_token,
      jwt: await operatorJwt(deployment),
    }
    const elsewhere = await deployment.m2mToken({ resource: 'https://machines.example' })
    m2m = {
      opaque: await deployment.m2mToken({ resource }),
      jwt: await resigned(elsewhere, (claims) => ({ ...claims, aud: resource })),
    }
    subject_token = await issue(m2m.opaque)
  })
  // What was refused in between used nothing up.
  after(async () => {
    for (const actor_token of Object.values(actor)) {
      const form = { subject_token: await issue(m2m.jwt), actor_token }
      expect((await expectExchanged(deployment, form)).act).to.deep.equal({ sub: 'olivia' })
    }
    await expectExchanged(deployment, { subject_token })
    expect(deployment.serverErrors).to.deep.equal([])
    await deployment.close()
  })

  async function issue(token: string): Promise<string> {
    return (await deployment.issue({ userId: 'alice' }, { token })).body.subjectToken
  }

  const asSubject = (value: string) => deployment.exchange({ subject_token: value })
  const asActor = (value: string) => deployment.exchange({ subject_token, actor_token: value })
  const asBearer = (token: string) => deployment.issue({ userId: 'alice' }, { token })
  const everywhere = [asSubject, asActor, asBearer]

  function expectNothing({ status, body }: Answer, what = ''): void {
    expect(status, what).to.be.within(400, 499)
    expect(body, what).to.not.have.any.keys('access_token', 'subjectToken')
  }

  async function expectWorthless(values: Iterable<string>, places = everywhere): Promise<void> {
    for (const value of values) {
      for (const present of places) expectNothing(await present(value), value.slice(0, 80))
    }
  }

  /** The status of a request sent byte by byte, with what no client library would send. */
  async function rawStatus(path: string, headers: string[], body: string): Promise<number> {
    const socket = connect(Number(new URL(deployment.base).port), '127.0.0.1')
    // A server that has read enough may hang up while the rest is still being written.
    socket.on('error', () => {})
    const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers]
    const length = `Content-Length: ${Buffer.byteLength(body, 'latin1')}`
    socket.write(`${[...head, length].join('\r\n')}\r\n\r\n${body}`, 'latin1')
    const [answer] = await once(socket, 'data')
    socket.destroy()
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(answer))?.[1])
  }
  const rawBearer = (value: string) =>
    rawStatus(
      '/api/subject-tokens',
      [`Authorization: Bearer ${value}`, 'Content-Type: application/json'],
      '{"userId":"alice"}',
    )
  const rawForm = (fields: string) =>
    rawStatus(
      '/oidc/token',
      ['Content-Type: application/x-www-form-urlencoded'],
      `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&client_id=console&${fields}`,
    )
  const type = 'urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token'
  const target = () => `scope=orders:read&resource=${deployment.orders}`
  const rawSubject = (value: string) =>
    rawForm(`subject_token=${value}&subject_token_type=${type}&${target()}`)
  const rawActor = (value: string, subject = subject_token) => {
    const actorFields = `actor_token=${value}&actor_token_type=${type}`
    return rawForm(`subject_token=${subject}&subject_token_type=${type}&${target()}&${actorFields}`)
  }

  it('byte by byte, good tokens are good: the tests below change one thing each', async () => {
    expect(await rawBearer(m2m.opaque)).to.equal(201)
    expect(await rawSubject(await issue(m2m.opaque))).to.equal(200)
    expect(await rawActor(actor.opaque, await issue(m2m.opaque))).to.equal(200)
  })

  it('CVE-2026-9704 (Keycloak): 4,001 characters', () =>
    expectWorthless(['x'.repeat(4001), `${'a'.repeat(2000)}.${'b'.repeat(1999)}.c`]))

  it('1 MB', async () => {
    const value = 'x'.repeat(1024 * 1024)
    for (const present of [rawSubject, rawActor, rawBearer]) {
      expect(await present(value)).to.be.within(400, 499)
    }
  })

  it('NUL, unpaired surrogates, and bytes that are no UTF-8', async () => {
    const inForms = ['%00', '%ED%A0%80', '%EDA0', '%FF%FE', '%', '%zz', '\u0000', '\u00ff']
    for (const bytes of inForms) {
      expect(await rawSubject(`${subject_token}${bytes}`), bytes).to.equal(400)
      expect(await rawSubject(`${bytes}${subject_token}`), bytes).to.equal(400)
      expect(await rawActor(`${actor.opaque}${bytes}`), bytes).to.equal(400)
    }
    for (const bytes of ['\u0000', '\u00ed\u00a0\u0080', '\u00ff', '%00']) {
      expect(await rawBearer(`${m2m.opaque}${bytes}`), bytes).to.be.oneOf([400, 401])
    }
    expectNothing(await asSubject(`${subject_token}\ud800`))
  })

  /** Cut, changed, longer: at every position of an opaque token, at some of a JWT. */
  const spoiled = (token: string) =>
    Array.from(token, (character, at) => {
      const [before, after] = [token.slice(0, at), token.slice(at + 1)]
      const changed = before + (character === 'A' ? 'B' : 'A') + after
      if (!token.includes('.')) return [before, changed]
      // A changed last character of a JWT may decode to the very same signature.
      if (after === '') return [before]
      return at % 16 === 0 || token.slice(at - 1, at + 2).includes('.') ? [before, changed] : []
    }).flat()

  describe('CVE-2026-27840 (ZITADEL): cut short, or one character changed', () => {
    // There, opaque access tokens cut to 80 characters still counted as valid.
    it('a subject token', async () => {
      const token = await issue(m2m.opaque)
      const longer = Array.from(token, (character, at) => [
        `${token}${character}`,
        `${token.slice(0, at)} ${token.slice(at)}`,
      ]).flat()
      await expectWorthless([...spoiled(token), ...longer], [asSubject])
      await expectExchanged(deployment, { subject_token: token })
    })

    for (const format of ['opaque', 'jwt'] as const) {
      it(`an actor token, ${format}`, () => expectWorthless(spoiled(actor[format]), [asActor]))
      it(`a bearer token, ${format}`, () => expectWorthless(spoiled(m2m[format]), [asBearer]))
    }
  })
})
