/** A request to the orders API: where it worked, and where it was refused or failed. */
export const REQUEST_WORDS = [
  {
    is: /^(?:GET|HEAD) \/orders$/,
    done: { en: 'Looked at your orders', de: 'Ihre Bestellungen angesehen' },
    not: { en: 'Tried to look at your orders', de: 'Versucht, Ihre Bestellungen anzusehen' },
  },
  {
    is: /^PUT \/orders\/email$/,
    done: { en: 'Changed your e-mail address', de: 'Ihre E-Mail-Adresse geändert' },
    not: {
      en: 'Tried to change your e-mail address',
      de: 'Versucht, Ihre E-Mail-Adresse zu ändern',
    },
  },
  {
    is: /^PATCH \/orders\//,
    done: {
      en: 'Changed the delivery note of an order',
      de: 'Den Lieferhinweis einer Bestellung geändert',
    },
    not: {
      en: 'Tried to change the delivery note of an order',
      de: 'Versucht, den Lieferhinweis einer Bestellung zu ändern',
    },
  },
]
