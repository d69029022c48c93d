import { type Html, html } from '../html.ts'

export const en = {
  signIn: {
    title: 'Sign in',
    login: 'Login',
    password: 'Password',
    submit: 'Sign in',
    cancel: 'Cancel',
    wrong: 'Login or password is wrong.',
    tooMany: 'There were too many attempts. Try again later.',
    expired: 'This sign-in has expired, or it began in another browser.',
    foreign: 'This form does not come from the sign-in page.',
    unreadable: 'The form could not be read.',
  },
  signedIn: 'You are signed in',
  notSignedIn: {
    title: 'You are not signed in',
    cancelled: 'The sign-in was cancelled.',
    refused: 'The provider did not let you in.',
  },
  signOut: {
    title: 'Sign out?',
    submit: 'Sign out',
    stay: 'Stay signed in',
    underWay: 'Signing out',
    done: 'You are signed out',
  },
  error: {
    title: 'That did not work',
    unknown: 'Something went wrong.',
    again: 'Go back to the application and start again.',
    code: 'The team that runs it may want to know this code:',
  },
  close: 'You can close this page.',
  mail: {
    title: 'Mail',
    about: 'This is what customers would be sent. With SMTP_URL, it is sent and not shown here.',
    none: 'There is no mail yet.',
    to: 'To',
  },
  start: {
    title: 'Impersonation in five stories',
    about:
      'An OpenID provider with a support console, and a shop whose customers need help. Two people need two browsers, so open a private window for the second person. If the console asks for a note, write why. Before the next story, press End in the banner of the shop.',
    password: (password: Html) => html`Everybody signs in with the password ${password}.`,
    open: (who: Html, link: Html) => html`As ${who}, open ${link}.`,
    stay: (who: Html) => html`As ${who} again, stay in the same window.`,
    press: (controls: Html) => html`Press ${controls}.`,
    andThen: ', then ',
    confirm: ', and confirm with ',
    form: (ticket: string) => `the form for ticket ${ticket}`,
    inbox: 'the inbox',
    account: 'your account',
    stories: [
      {
        title: 'Act for a ticket',
        about: 'Alice asked where her parcel is. Olivia of the support team looks.',
        reason: 'The parcel did not arrive',
        press: [['Act as Alice Ng']],
        see: 'The shop opens in a new tab, as Alice. Its banner says who acts as whom, for which ticket and for how long, and ends it.',
      },
      {
        title: 'A change that a lead approves',
        about: 'A change in Chidi’s account needs a second person. Grace leads the support team.',
        reason: 'The delivery note is wrong',
        press: [['Ask for approval'], ['Approve', 'Approve'], ['Act as Chidi Okeke']],
        see: 'Olivia learns of it at once. If Grace takes it back while Olivia acts, the shop is covered within seconds.',
      },
      {
        title: 'A customer who is asked',
        about: 'Nobody acts as Dana before she allows it.',
        reason: 'The customer cannot see the last order',
        press: [['Ask for approval'], ['Allow'], ['Act as Dana Schmidt']],
        see: 'The mail to Dana says who asks, and leads to the page on which she answers.',
      },
      {
        title: 'An emergency and its review',
        about:
          'No lead is there, and Chidi’s order leaves in five minutes. Oscar says why, and acts.',
        reason: 'The address is wrong, and the order leaves now',
        press: [
          ['Act without approval', 'Start without approval'],
          ['I looked at it', 'I looked at it'],
        ],
        see: 'It is marked wherever it shows. Until Grace has looked at it, Oscar cannot do it again.',
      },
      {
        title: 'A customer who objects',
        about: 'Bob never called, and yet Oscar acts as him.',
        reason: 'A question about an order',
        press: [
          ['Act as Bob Marsh'],
          ['I did not ask for this', 'Tell them'],
          ['Lift the stop', 'Lift the stop'],
        ],
        see: 'The shop is covered in Oscar’s tab, Grace sees why, and Oscar cannot act as Bob until she lifts the stop.',
      },
    ],
    seeLabel: 'What to see:',
    more: 'Everything in it',
    people: 'Who can sign in',
    places: {
      console: 'The support console',
      shop: 'The shop, for customers',
      account: 'The account, where customers see who acted as them',
      mail: 'The mail to customers',
      openapi: 'The API, as an OpenAPI document',
    },
    roles: { customer: 'Customers', operator: 'Operators', lead: 'Lead', auditor: 'Auditor' },
    history: (command: Html) => html`For an audit with a year in it, start with ${command}.`,
    commands: (command: Html) => html`For the same as commands, start with ${command}.`,
  },
}

export type Words = typeof en
