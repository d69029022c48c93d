/** Errors, said to people. */
export const problems = {
  unreachable: 'The server does not answer. Check your connection, and try again.',
  trouble: 'The server has trouble. Nothing was changed. Try again in a moment.',
  unexpected: 'The server gave an answer that this page does not understand. Reload the page.',
  signedOut: 'Your sign-in is over. Sign in again to go on; what you typed is kept.',
  notFound: 'That does not exist, or it is not yours to see.',
  tooMany: 'Those were too many requests at once. Wait a moment, and try again.',
  /** By the code of our own API. */
  codes: {
    access_denied: 'Your role does not allow this.',
    user_not_found: 'There is no customer with this id.',
    not_found: 'That does not exist, or it is not yours to see.',
    temporarily_unavailable:
      'The audit cannot be stored right now, so nothing is done. Try again in a moment.',
  },
} as const
