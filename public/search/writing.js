/* A key of an input method chooses among its proposals. The one that takes one over comes as 229 in some browsers. */
export const isWriting = (event) => event.isComposing || event.keyCode === 229
