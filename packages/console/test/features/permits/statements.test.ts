import { expect } from 'chai'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import { onEachKind, withStore } from '../../ledger/recording/soak-stores.ts'
import { countedStatements } from '../../support/counted-statements.ts'
import { providerAt } from '../../support/provider-at.ts'

const CUSTOMER = 'alice'
const FACTS = { operator: 'olivia', application: 'shop', resource: 'urn:orders', scope: 'orders' }
const ASKED = { customer: CUSTOMER, ...FACTS, ticket: 'SUP-1', reason: 'r' }

/** A question of the provider to its rule. */
const request = (mayAct: object | undefined) =>
  ({
    account: { accountId: CUSTOMER },
    mayAct,
    actor: { sub: 'olivia' },
    resource: FACTS.resource,
    scope: FACTS.scope,
    context: { ticketId: 'SUP-1' },
  }) as never

describe('the rule that permits wrap', () => {
  onEachKind.it('asks the storage by one statement, whatever there is to look at', (kind, place) =>
    withStore(kind, place, async (audit) => {
      const permits = permitsWith({ audit, approvers: () => [], standing: {} })
      const plain = permitsWith({ audit, approvers: () => [] })
      const provider = await providerAt('https://id.example')
      for (const each of [permits, plain]) {
        each.attach(provider, { isBound: true })
        // Nothing but the rule asks from now on.
        await each.close()
      }
      const bound = { sub: ASKED.operator, clientId: ASKED.application }
      const needing = permits.wrap(() => ({ needs: ['second_person', 'user'] }))
      await needing(request(bound))
      for (const [what, rule, count] of [
        ['pauses, the switch, and approvals', needing, 1],
        ['no needs', permits.wrap(() => true), 1],
        ['no switch', plain.wrap(() => true), 1],
        ['refused by the rule', permits.wrap(() => false), 0],
      ] as const) {
        const asked = countedStatements[kind](async () => rule(request(bound)))
        expect(await asked, what).to.equal(count)
      }
    }),
  )
})
