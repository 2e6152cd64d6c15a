/** Behind "the key is wrong": a key that was replaced stands in its file before the service knows it. */
export const WRONG_KEY =
  'the key is wrong, see "loam key"; after "loam key rotate" the service needs a restart'
