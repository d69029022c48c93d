import type { Config } from '../config.ts'
import { Application } from './application.ts'
import { approvals } from './approvals.ts'
import { copilot } from './copilot.ts'
import { endings } from './endings.ts'
import { masked, show, step, terminal } from './report.ts'
import {
  ask,
  askDirectly,
  boundTo,
  CUSTOMER_ID,
  checked,
  DEMO_CONTEXT,
  issue,
  machineToken,
  OPERATOR_ID,
  OTHER_CUSTOMER_ID,
  PROTECTED_ID,
  readOrders,
  refused,
} from './requests.ts'

/** The settings of the server that the demo needs. */
export type DemoConfig = Pick<
  Config,
  'copilotSecret' | 'demoPassword' | 'strict' | 'supportBackendSecret'
>

/**
 * Runs all steps against the example provider at `base`.
 *
 * @throws DemoFailure at the first step that fails.
 */
export async function walk(base: string, config: DemoConfig): Promise<void> {
  const application = await step(`Discover the provider at ${base}/oidc`, () =>
    Application.discover(base),
  )
  const operatorToken = await step(`Sign in as ${OPERATOR_ID}, who works in support`, () =>
    application.signIn(OPERATOR_ID, config.demoPassword),
  )
  terminal.log(`    access token of ${OPERATOR_ID}: ${masked(operatorToken)}`)

  await throughTheBackend(base, application, operatorToken)
  await directly(base, application, config)
  const machine = await step('Get a token of the support backend that may end impersonations', () =>
    machineToken(base, config.supportBackendSecret, 'impersonate impersonations:end'),
  )
  await approvals(base, config.demoPassword)
  await endings(base, application, operatorToken, machine)
  // The stricter rules refuse an actor token of another client than the one that exchanges.
  if (!config.strict) await copilot(base, operatorToken, machine, config.copilotSecret)
}

/** The backend binds the token to the operator, to the orders API and to read access. */
async function throughTheBackend(
  base: string,
  application: Application,
  operatorToken: string,
): Promise<void> {
  const first = await issue(`Ask the support backend to act as ${CUSTOMER_ID}`, () =>
    ask(base, operatorToken),
  )
  const acting = await step(`Exchange it, with ${OPERATOR_ID} as actor`, () =>
    application.exchange(first, operatorToken),
  )
  show(
    await step('Look into the access token', async () =>
      checked(await application.claims(acting), base, OPERATOR_ID),
    ),
  )
  show(
    await step(`See the orders of ${CUSTOMER_ID}; the API knows who acts`, () =>
      readOrders(base, acting, OPERATOR_ID),
    ),
  )
  await step('Exchange the same subject token again: refused', () =>
    application.expectRefusal(first, operatorToken, 'a used subject token was accepted once more'),
  )

  const second = await issue(`Ask the support backend to act as ${CUSTOMER_ID} once more`, () =>
    ask(base, operatorToken),
  )
  await step(`Exchange it without an actor token: refused, it is bound to ${OPERATOR_ID}`, () =>
    application.expectRefusal(second, undefined, 'leaving out the actor got around the binding'),
  )
}

/** The management API binds a token only to the values in the request. */
async function directly(
  base: string,
  application: Application,
  { strict, supportBackendSecret }: DemoConfig,
): Promise<void> {
  const machine = await step('Get a machine-to-machine token of the support backend', () =>
    machineToken(base, supportBackendSecret, 'impersonate'),
  )
  const binding = strict ? boundTo(base, OPERATOR_ID) : {}
  await step(
    `Ask the management API directly to act as ${PROTECTED_ID}: refused for every operator`,
    () =>
      refused(
        askDirectly(base, machine, PROTECTED_ID, DEMO_CONTEXT, binding),
        403,
        'access_denied',
      ),
  )
  if (strict) await refusedByStrictRules(base, machine)
  const issued = await issue(`Ask it to act as ${CUSTOMER_ID}`, () =>
    askDirectly(base, machine, CUSTOMER_ID, DEMO_CONTEXT, binding),
  )
  if (strict) {
    await step('Exchange that one without an actor token: refused, an operator must act', () =>
      application.expectRefusal(issued, undefined, 'without an operator, that was accepted'),
    )
    return
  }
  const nameless = await step('Exchange that one without an actor token', () =>
    application.exchange(issued, undefined),
  )
  show(
    await step('Look into the access token: it has no act', async () =>
      checked(await application.claims(nameless), base, undefined),
    ),
  )
  await step(`See the orders of ${CUSTOMER_ID}; the API knows of no actor`, () =>
    readOrders(base, nameless, undefined),
  )
}

async function refusedByStrictRules(base: string, machine: string): Promise<void> {
  const bound = (operator: string) => boundTo(base, operator)
  await step('Ask it without reason and ticket: refused, they are compulsory', () =>
    refused(
      askDirectly(base, machine, CUSTOMER_ID, {}, bound(OPERATOR_ID)),
      400,
      'invalid_request',
    ),
  )
  await step('Ask it for a token that is bound to no operator: refused', () =>
    refused(askDirectly(base, machine, CUSTOMER_ID, DEMO_CONTEXT), 400, 'invalid_request'),
  )
  await step(
    `Ask it for a token for ${OTHER_CUSTOMER_ID}, a customer, as the operator: refused`,
    () =>
      refused(
        askDirectly(base, machine, CUSTOMER_ID, DEMO_CONTEXT, bound(OTHER_CUSTOMER_ID)),
        403,
        'access_denied',
      ),
  )
}
