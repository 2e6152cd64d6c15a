/** Those who follow the log: each is handed every event once, after it was committed. */
export interface Followers {
  /**
   * Resolves when the follower of this name was handed all that had been committed before the call. It is to be
   * called only while that follower should follow. Never rejects: whoever asks goes on with what there is.
   */
  caughtUp(name: string): Promise<void>
}
