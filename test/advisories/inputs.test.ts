import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Answer, type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken, resigned } from '../support/jwts.ts'

const features = {
  registration: { enabled: true, initialAccessToken: true },
  registrationManagement: { enabled: true },
}

// Whatever else may be sent: ../malformed-input.proof.ts.
describe('what is presented in the place of a token: no 5xx, no token', () => {
  let deployment: Deployment
  /** A subject token that is never exchanged, for the attempts on the actor's place. */
  let subject_token: string
  let actor: { opaque: string; jwt: string }
  let m2m: { opaque: string; jwt: string }

  before(async () => {
    deployment = await deploy({
      configuration: { features },
      impersonation: { managementApi: { tokenFormat: 'opaque' } },
      resources: { 'https://machines.example': { scope: 'impersonate', accessTokenFormat: 'jwt' } },
    })
    actor = {
      opaque: await deployment.actorToken(),
      jwt: await apiToken(deployment),
    }
    const elsewhere = await deployment.m2mToken({ resource: 'https://machines.example' })
    m2m = {
      opaque: await deployment.m2mToken(),
      jwt: await resigned(elsewhere, { aud: deployment.management }),
    }
    subject_token = await issue(m2m.opaque)
  })
  // The refusals in between used nothing up.
  after(async () => {
    for (const actor_token of Object.values(actor)) {
      const form = { subject_token: await issue(m2m.jwt), actor_token }
      const { body } = await expectAnswer(deployment.exchange(form), 200)
      expect(decodeJwt(body.access_token).act).to.deep.equal({ sub: 'olivia' })
    }
    await deployment.redeem(subject_token)
    deployment.expectNoErrors()
    await deployment.close()
  })

  async function issue(token: string): Promise<string> {
    return (await deployment.issueBy(token)).body.subjectToken
  }

  const asSubject = (value: string) => deployment.exchange({ subject_token: value })
  const asActor = (value: string) => deployment.exchange({ subject_token, actor_token: value })
  const asBearer = (token: string) => deployment.issueBy(token)
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

  it('CVE-2026-9704 (Keycloak): 4,001 characters', () =>
    expectWorthless(['x'.repeat(4001), `${'a'.repeat(2000)}.${'b'.repeat(1999)}.c`]))

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
      await deployment.redeem(token)
    })

    for (const format of ['opaque', 'jwt'] as const) {
      it(`an actor token, ${format}`, () => expectWorthless(spoiled(actor[format]), [asActor]))
      it(`a bearer token, ${format}`, () => expectWorthless(spoiled(m2m[format]), [asBearer]))
    }
  })
})
