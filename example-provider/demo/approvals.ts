import { Application } from './application.ts'
import { check, step } from './report.ts'
import { type Answer, OPERATOR_ID, refused, send } from './requests.ts'

const LEAD_ID = 'grace'
/** A customer in whose account a change needs the approval of a second person. */
const GUARDED_ID = 'chidi'
const CONSOLE_CLIENT = { clientId: 'support-console', redirectPath: '/console/callback' } as const

/** Asks for an approval, decides on it and takes it back, as the pages of the console do. */
export async function approvals(base: string, password: string): Promise<void> {
  const console = await Application.discover(base, CONSOLE_CLIENT)
  const [operator, lead] = await step(
    `Sign in at the console, as ${OPERATOR_ID} and as ${LEAD_ID}, who leads`,
    async () => [
      await console.signIn(OPERATOR_ID, password),
      await console.signIn(LEAD_ID, password),
    ],
  )
  const ask = (token = '', path: string, body: object) =>
    send(`${base}/console${path}`, token, body)
  const request = {
    ...{ userId: GUARDED_ID, ticketId: 'SUP-124', reason: 'The address is wrong' },
    ...{ application: 'shop', access: 'change' },
  }
  const act = () => ask(operator, '/impersonations', request)

  await step(`Ask to change something as ${GUARDED_ID}: refused, it needs an approval`, () =>
    refused(act(), 403, 'approval_required'),
  )
  const id = await step(`Ask for the approval, as ${OPERATOR_ID}`, async () => {
    const answer = await ask(operator, '/permits', request)
    expectStatus(answer, 201)
    return String(Object(answer.body.record).id)
  })
  await step(`Approve it as ${OPERATOR_ID}: refused, it is their own`, () =>
    refused(ask(operator, `/records/${id}/granted`, {}), 403, 'access_denied'),
  )
  await step(`Approve it as ${LEAD_ID}`, async () =>
    expectStatus(await ask(lead, `/records/${id}/granted`, { note: 'Saw the ticket' }), 200),
  )
  await step('Ask again: there is a subject token', async () => expectStatus(await act(), 201))
  await step(`Take the approval back as ${LEAD_ID}, and ask again: refused`, async () => {
    expectStatus(await ask(lead, `/records/${id}/revoked`, {}), 200)
    await refused(act(), 403, 'approval_required')
  })
}

function expectStatus({ status, body }: Answer, expected: number): void {
  check(status === expected, `the answer is ${status} ${body.error ?? ''}, not ${expected}`)
}
