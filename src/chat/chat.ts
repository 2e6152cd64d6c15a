/**
 * Chat: a model that answers in text, when the owner has set one up.
 *
 * This file is the room's door. provider.ts says which provider `llm.*` means, protocols.ts how each one is
 * asked, and model.ts asks. Nothing here knows what the model is asked for.
 */
export { openChat } from './model.ts'
