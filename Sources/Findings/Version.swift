/// The version of the package.
package let interlockVersion = "0.1.0"
