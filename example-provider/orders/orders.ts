import { Problem } from '../http/problem.ts'

export interface Order {
  readonly id: string
  readonly item: string
  /** In euros. */
  readonly total: number
  readonly status: 'paid' | 'shipped' | 'delivered'
  readonly deliveryNote?: string
  /** Who changed it last: an impersonation stays visible for as long as the order is kept. */
  readonly changedBy?: Author
}

/** In whose name something was done, and by whom. */
export interface Author {
  readonly subject: string
  /** Who acted as the subject, if somebody did; `null` where the token does not name them. */
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

/** Orders and contact addresses of all customers, for as long as the process lives. */
export class OrderBook {
  // A change puts new objects in the place of old ones: the seed stays what it is.
  readonly #orders = new Map(SEED)
  readonly #emails = new Map<string, string>()

  ordersOf(customerId: string): readonly Order[] {
    return this.#orders.get(customerId) ?? []
  }

  /** `undefined` unless the customer has changed it here. */
  emailOf(customerId: string): string | undefined {
    return this.#emails.get(customerId)
  }

  changeEmail(customerId: string, email: string): void {
    this.#emails.set(customerId, email)
  }

  /**
   * Sets the delivery note of an order of the author's subject; the empty one removes it.
   *
   * @throws Problem 404 for an order that is not theirs, the same as for one that does not exist
   * @throws Problem 409 where it is too late
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
