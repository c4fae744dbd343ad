package import Testing

extension Trait where Self == TimeLimitTrait {
  /// A time limit for a test that a defect would keep from ending.
  ///
  /// The time of a test includes the time in which its body waits for a thread of the pool: on a
  /// slow machine as long as the whole suite takes. The limit is therefore longer than that.
  package static var hangLimit: Self { .timeLimit(.minutes(60)) }
}
