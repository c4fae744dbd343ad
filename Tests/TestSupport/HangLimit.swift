package import Testing

extension Trait where Self == TimeLimitTrait {
  /// A limit for a test that a defect would keep from its end.
  ///
  /// A test's time runs from its start, and with it that in which its body waits for a thread of
  /// the pool: on a slow machine as long as the whole suite takes. So the limit is longer.
  package static var hangLimit: Self { .timeLimit(.minutes(60)) }
}
