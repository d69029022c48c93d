export interface Order {
  readonly id: string
  readonly item: string
  /** In euros. */
  readonly total: number
  readonly status: 'paid' | 'shipped' | 'delivered'
}

const ORDERS: ReadonlyMap<string, readonly Order[]> = new Map([
  [
    'alice',
    [
      { id: 'A-1001', item: 'Espresso machine', total: 249, status: 'delivered' },
      { id: 'A-1002', item: 'Coffee beans, 1 kg', total: 18.5, status: 'shipped' },
    ],
  ],
  ['bob', [{ id: 'B-2001', item: 'Desk lamp', total: 39.9, status: 'paid' }]],
])

export function ordersOf(customerId: string): readonly Order[] {
  return ORDERS.get(customerId) ?? []
}
