import type { Deployment } from './deployment.ts'

/** A request to act that the deployment grants to an operator. */
export const ACT = {
  userId: 'alice',
  ticketId: 'SUP-123',
  reason: 'An order did not arrive',
  application: 'shop',
  access: 'read',
}

/** The rows of refused requests that an auditor sees. */
export async function refusals(deployment: Deployment, customer: string) {
  await deployment.settled()
  const body = await deployment.read('ada', `/audit?outcome=refused&customer=${customer}`)
  return body.rows
}
