/** How an impersonation ended, as the provider tells. */
export interface ImpersonationEnding {
  /** `customer`: the user. `operator`: who acts. `other`: another person, a rule, or the provider. */
  readonly by: 'customer' | 'operator' | 'other'
  readonly cause: 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user'
}
