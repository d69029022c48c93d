/** Errors, said to people. */
export const problems = {
  unreachable: 'The server does not answer. Check your connection, and try again.',
  trouble: 'The server has trouble. Try again in a moment.',
  notShown:
    'This cannot be shown right now: something that the console needs does not answer. Try again in a moment.',
  unexpected: 'The server gave an answer that this page does not understand. Reload the page.',
  signedOut: 'Your sign-in is over. Sign in again to go on; what you typed is kept.',
  /** By the code of our own API. */
  codes: {
    access_denied: 'Your role does not allow this.',
    user_not_found: 'There is no customer with this id.',
    not_found: 'That does not exist, or it is not yours to see.',
    invalid_request: 'The server did not accept what was entered.',
    conflict: 'That has changed meanwhile. Look again.',
    already_objected: 'You have said so already. The support team looks into it.',
    too_many_requests: 'Those were too many requests at once. Wait a moment, and try again.',
    bad_gateway:
      'The provider did not answer as expected, so nothing was done. Try again in a moment.',
    temporarily_unavailable:
      'Something that the console needs does not answer, so nothing was done. Try again in a moment.',
  },
} as const
