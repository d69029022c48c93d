/** The page on which customers see who acted as them. */
export const account = {
  title: 'Who acted as you',
  signInAbout: 'See who of the support team acted as you, what they did, and end it.',
} as const
