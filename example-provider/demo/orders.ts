// The orders of the demonstration.

export interface Order {
  readonly id: string
  readonly item: string
  /** In euros. */
  readonly total: number
  readonly status: 'paid' | 'shipped' | 'delivered'
  readonly deliveryNote?: string | undefined
  /** The last change. It shows an impersonation for as long as the order exists. */
  readonly changedBy?: {
    readonly userId: string
    readonly actor?: string | null
    readonly actorName?: string | undefined
  }
}

export const DEMO_ORDERS: Readonly<Record<string, readonly Order[]>> = {
  alice: [
    { id: 'A-1001', item: 'Espresso machine', total: 249, status: 'delivered' },
    { id: 'A-1002', item: 'Coffee beans, 1 kg', total: 18.5, status: 'shipped' },
    { id: 'A-1003', item: 'Coffee grinder', total: 89, status: 'paid' },
  ],
  bob: [{ id: 'B-2001', item: 'Desk lamp', total: 39.9, status: 'paid' }],
  chidi: [
    {
      ...{ id: 'C-3001', item: 'Garden table', total: 189, status: 'paid' },
      deliveryNote: 'Leave it at the old warehouse',
    },
  ],
  dana: [{ id: 'D-4001', item: 'Reading glasses', total: 54, status: 'shipped' }],
}
