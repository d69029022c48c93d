import { Problem } from '../http/problem.ts'

export interface Order {
  readonly id: string
  readonly item: string
  /** In euros. */
  readonly total: number
  readonly status: 'paid' | 'shipped' | 'delivered'
  readonly deliveryNote?: string
  /** The author of the last change. It shows an impersonation for as long as the order exists. */
  readonly changedBy?: Author
}

/** The subject and the actor of a change. */
export interface Author {
  readonly subject: string
  /** The actor, if there is one; `null` if the token does not name the actor. */
  readonly actor?: string | null
}

const SEED: ReadonlyMap<string, readonly Order[]> = new Map([
  [
    'alice',
    [
      { id: 'A-1001', item: 'Espresso machine', total: 249, status: 'delivered' },
      { id: 'A-1002', item: 'Coffee beans, 1 kg', total: 18.5, status: 'shipped' },
      { id: 'A-1003', item: 'Coffee grinder', total: 89, status: 'paid' },
    ],
  ],
  ['bob', [{ id: 'B-2001', item: 'Desk lamp', total: 39.9, status: 'paid' }]],
])

/** Orders and contact addresses of all customers, in memory. */
export class OrderBook {
  // A change replaces an object, so the seed data stays the same.
  readonly #orders = new Map(SEED)
  readonly #emails = new Map<string, string>()

  ordersOf(customerId: string): readonly Order[] {
    return this.#orders.get(customerId) ?? []
  }

  /** Returns `undefined` unless the customer has changed the address here. */
  emailOf(customerId: string): string | undefined {
    return this.#emails.get(customerId)
  }

  changeEmail(customerId: string, email: string): void {
    this.#emails.set(customerId, email)
  }

  /**
   * Sets the delivery note of an order of the subject. An empty note removes it.
   *
   * @throws Problem 404 for a missing order or the order of another customer
   * @throws Problem 409 when the order can no longer change
   */
  changeDeliveryNote(orderId: string, note: string, changedBy: Author): Order {
    const orders = this.ordersOf(changedBy.subject)
    const order = orders.find(({ id }) => id === orderId)
    if (!order) throw new Problem(404, 'not_found', 'there is no such order')
    if (order.status === 'delivered') {
      throw new Problem(409, 'conflict', 'the order is delivered already')
    }
    const { deliveryNote: _, ...rest } = order
    const changed = { ...rest, ...(note === '' ? {} : { deliveryNote: note }), changedBy }
    this.#orders.set(
      changedBy.subject,
      orders.map((other) => (other === order ? changed : other)),
    )
    return changed
  }
}
